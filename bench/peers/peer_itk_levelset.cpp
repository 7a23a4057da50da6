// SPDX-License-Identifier: MIT
// ITK's sparse-field level set as a peer of `roundoff bench segment`: a program of its own, for ITK
// is C++. SIZE RADIUS START THREADS: from a disc to a noisy five-lobed shape; prints the best time
// of a run in seconds, the likeness (Dice) of what it found, and the iterations.
#include <itkDiscreteGaussianImageFilter.h>
#include <itkImage.h>
#include <itkImageRegionIteratorWithIndex.h>
#include <itkMultiThreaderBase.h>
#include <itkThresholdSegmentationLevelSetImageFilter.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>

using Image = itk::Image<float, 2>;

static bool inside(double dx, double dy, double radius)
{
    return std::hypot(dx, dy) < radius * (1 + 0.25 * std::cos(5 * std::atan2(dy, dx)));
}

static Image::Pointer make(unsigned size)
{
    auto image = Image::New();
    image->SetRegions(Image::SizeType{{size, size}});
    image->Allocate();
    return image;
}

int main(int count, char **words)
{
    using Filter = itk::ThresholdSegmentationLevelSetImageFilter<Image, Image>;
    using Smooth = itk::DiscreteGaussianImageFilter<Image, Image>;
    if (count != 5)
        return 2;
    const unsigned size = std::atoi(words[1]);
    const double radius = std::atof(words[2]), start = std::atof(words[3]), middle = 0.5 * size;
    itk::MultiThreaderBase::SetGlobalMaximumNumberOfThreads(std::atoi(words[4]));
    itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(std::atoi(words[4]));
    auto image = make(size), first = make(size);
    std::mt19937 generator(1);
    std::normal_distribution<double> noise(0, 12);
    using Iterator = itk::ImageRegionIteratorWithIndex<Image>;
    for (Iterator at(image, image->GetBufferedRegion()); !at.IsAtEnd(); ++at) {
        const double dx = at.GetIndex()[0] - middle, dy = at.GetIndex()[1] - middle;
        at.Set(static_cast<float>((inside(dx, dy, radius) ? 160 : 80) + noise(generator)));
        first->SetPixel(at.GetIndex(), static_cast<float>(std::hypot(dx, dy) - start));
    }
    double best = 1e9, spent = 0, dice = 0;
    unsigned iterations = 0;
    do {
        const auto begin = std::chrono::steady_clock::now();
        auto smooth = Smooth::New();
        smooth->SetVariance(1);
        smooth->SetInput(image);
        auto filter = Filter::New();
        filter->SetInput(first);
        filter->SetFeatureImage(smooth->GetOutput());
        filter->SetLowerThreshold(120);
        filter->SetUpperThreshold(250);
        filter->SetPropagationScaling(1);
        filter->SetCurvatureScaling(0.2);
        filter->SetMaximumRMSError(0.05);
        filter->SetNumberOfIterations(2000);
        filter->Update();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        best = took.count() < best ? took.count() : best;
        spent += took.count();
        iterations = filter->GetElapsedIterations();
        double both = 0, sum = 0;
        auto found = filter->GetOutput();
        for (Iterator at(found, found->GetBufferedRegion()); !at.IsAtEnd(); ++at) {
            const bool truth = inside(at.GetIndex()[0] - middle, at.GetIndex()[1] - middle, radius);
            const bool found_here = at.Get() < 0;
            both += truth && found_here;
            sum += truth + found_here;
        }
        dice = 2 * both / sum;
    } while (spent < 2);
    std::cout << best << " " << dice << " " << iterations << std::endl;
}
