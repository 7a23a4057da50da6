// SPDX-License-Identifier: MIT
// ITK's diffeomorphic demons on four resolutions as a peer of `roundoff bench register`: a program
// of its own, for ITK is C++. FOLDER WIDTH HEIGHT ITERATIONS THREADS: reads fixed.u8 and moving.u8
// there, writes u.raw and prints the best time of a run in seconds.
#include <itkDiffeomorphicDemonsRegistrationFilter.h>
#include <itkImage.h>
#include <itkImageRegionIterator.h>
#include <itkMultiResolutionPDEDeformableRegistration.h>
#include <itkMultiThreaderBase.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

using Image = itk::Image<float, 2>;
using Field = itk::Image<itk::Vector<float, 2>, 2>;

static Image::Pointer read(const std::string &path, unsigned width, unsigned height)
{
    auto image = Image::New();
    image->SetRegions(Image::SizeType{{width, height}});
    image->Allocate();
    std::ifstream file(path, std::ios::binary);
    for (itk::ImageRegionIterator<Image> at(image, image->GetBufferedRegion()); !at.IsAtEnd(); ++at)
        at.Set(static_cast<unsigned char>(file.get()));
    return image;
}

int main(int count, char **words)
{
    using Demons = itk::DiffeomorphicDemonsRegistrationFilter<Image, Image, Field>;
    using Filter = itk::MultiResolutionPDEDeformableRegistration<Image, Image, Field>;
    if (count != 6)
        return 2;
    const std::string folder = words[1];
    const unsigned width = std::atoi(words[2]), height = std::atoi(words[3]);
    itk::MultiThreaderBase::SetGlobalMaximumNumberOfThreads(std::atoi(words[5]));
    itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(std::atoi(words[5]));
    auto fixed = read(folder + "/fixed.u8", width, height);
    auto moving = read(folder + "/moving.u8", width, height);
    Field::Pointer field;
    double best = 1e9, spent = 0;
    do {
        auto demons = Demons::New();
        demons->SetStandardDeviations(2.0);
        demons->SmoothDisplacementFieldOn();
        auto filter = Filter::New();
        unsigned iterations[4];
        for (unsigned &each : iterations)
            each = std::atoi(words[4]);
        filter->SetRegistrationFilter(demons);
        filter->SetFixedImage(fixed);
        filter->SetMovingImage(moving);
        filter->SetNumberOfLevels(4);
        filter->SetNumberOfIterations(iterations);
        const auto start = std::chrono::steady_clock::now();
        filter->Update();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        field = filter->GetOutput();
        best = took.count() < best ? took.count() : best;
        spent += took.count();
    } while (spent < 3);
    std::ofstream out(folder + "/u.raw", std::ios::binary);
    out.write(reinterpret_cast<const char *>(field->GetBufferPointer()),
              static_cast<std::streamsize>(sizeof(float)) * 2 * width * height);
    std::cout << best << std::endl;
}
