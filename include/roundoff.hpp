/* SPDX-License-Identifier: MIT */
/*
 * Roundoff for C++11 and later: owners for what the C interface opens, and exceptions for what it
 * returns. Everything else is the C interface, which this header includes.
 *
 *     roundoff::Context context;
 *     roundoff::Image in(context, RO_GREY8, 640, 480), out(context, RO_BITS, 640, 480);
 *     auto options = roundoff::options<ro_halftone_options>();
 *     options.method = "stucki";
 *     roundoff::Plan plan(context, in, RO_BITS, options);
 *     plan.run(in, out);                       // from any thread, any number of times
 *
 * A function that fails throws roundoff::Error, whose what() is the sentence of ro_context_message.
 */
#ifndef ROUNDOFF_HPP
#define ROUNDOFF_HPP

#include "roundoff.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace roundoff
{

class Error : public std::runtime_error
{
  public:
    Error(ro_status status, const std::string &message)
        : std::runtime_error(message.empty() ? ro_status_name(status) : message), status_(status)
    {
    }
    ro_status status() const noexcept { return status_; }

  private:
    ro_status status_;
};

/* Throws if the status is not RO_OK. The message is that of this thread's last call. */
inline void check(ro_status status, const ro_context *context)
{
    if (status != RO_OK)
        throw Error(status, ro_context_message(context));
}

/* ---- Structures ------------------------------------------------------------------------------ */

#define ROUNDOFF_INIT(structure, function)                                                         \
    inline void init(structure &options) { function(&options, sizeof options); }
ROUNDOFF_INIT(ro_context_options, ro_context_options_init)
ROUNDOFF_INIT(ro_halftone_options, ro_halftone_options_init)
ROUNDOFF_INIT(ro_denoise_options, ro_denoise_options_init)
ROUNDOFF_INIT(ro_segment_options, ro_segment_options_init)
ROUNDOFF_INIT(ro_regions_options, ro_regions_options_init)
ROUNDOFF_INIT(ro_register_options, ro_register_options_init)
ROUNDOFF_INIT(ro_hologram_options, ro_hologram_options_init)
ROUNDOFF_INIT(ro_hologram_scene, ro_hologram_scene_init)
ROUNDOFF_INIT(ro_picture_scene, ro_picture_scene_init)
ROUNDOFF_INIT(ro_point_scene, ro_point_scene_init)
ROUNDOFF_INIT(ro_refinement, ro_refinement_init)
ROUNDOFF_INIT(ro_frames, ro_frames_init)
ROUNDOFF_INIT(ro_view, ro_view_init)
ROUNDOFF_INIT(ro_screen_options, ro_screen_options_init)
ROUNDOFF_INIT(ro_measure_options, ro_measure_options_init)
ROUNDOFF_INIT(ro_wedge_options, ro_wedge_options_init)
#undef ROUNDOFF_INIT

/* Returns options with their defaults. */
template <class Options> Options options()
{
    Options made;
    init(made);
    return made;
}

/* Returns an empty report or info structure that knows its size. */
template <class Report> Report report()
{
    Report made = Report();
    made.size = sizeof made;
    return made;
}

/* ---- Owners ---------------------------------------------------------------------------------- */

/* Threads may share one; messages and reports are the calling thread's. */
class Context
{
  public:
    explicit Context(const ro_context_options *options = nullptr)
    {
        ro_context *opened = nullptr;
        roundoff::check(ro_context_open(options, &opened), nullptr);
        context_.reset(opened);
    }
    explicit Context(const ro_context_options &options) : Context(&options) {}

    operator ro_context *() const noexcept { return context_.get(); }
    void check(ro_status status) const { roundoff::check(status, context_.get()); }
    const ro_report &report() const { return *ro_context_report(context_.get()); }
    void cancel() noexcept { ro_context_cancel(context_.get()); }
    void resume() noexcept { ro_context_resume(context_.get()); }

  private:
    struct Close {
        void operator()(ro_context *context) const noexcept { ro_context_close(context); }
    };
    std::unique_ptr<ro_context, Close> context_;
};

/* Pixels of its own; zero at first. */
class Image
{
  public:
    Image(const Context &context, ro_format format, uint32_t width, uint32_t height,
          uint32_t maxval = 0)
    {
        context.check(ro_image_alloc(context, format, width, height, maxval, &image_));
    }
    Image(Image &&other) noexcept : image_(other.image_) { other.image_ = ro_image(); }
    Image &operator=(Image other) noexcept
    {
        std::swap(image_, other.image_);
        return *this;
    }
    ~Image() { ro_image_free(&image_); }

    operator ro_image *() noexcept { return &image_; }
    operator const ro_image *() const noexcept { return &image_; }
    const ro_image *operator->() const noexcept { return &image_; }
    void *row(uint32_t y) noexcept { return static_cast<char *>(image_.data) + y * image_.stride; }

  private:
    ro_image image_ = ro_image();
};

/* Must end before its context. */
class Plan
{
  public:
    Plan(const Context &context, const ro_image *shape, ro_format out,
         const ro_halftone_options &options)
        : context_(context)
    {
        ro_plan *made = nullptr;
        check(ro_halftone_plan(context, shape, out, &options, &made), context);
        plan_.reset(made);
    }
    Plan(const Context &context, const ro_image *in, const ro_image *out,
         const ro_denoise_options &options)
        : context_(context)
    {
        ro_plan *made = nullptr;
        check(ro_denoise_plan(context, in, out, &options, &made), context);
        plan_.reset(made);
    }

    operator ro_plan *() const noexcept { return plan_.get(); }
    ro_plan_info info() const
    {
        ro_plan_info info = report<ro_plan_info>();
        check(ro_plan_query(plan_.get(), &info), context_);
        return info;
    }
    /* `how`: several pictures, device memory, a report; NULL: a picture in host memory. */
    void run(const ro_image *in, ro_image *out, const ro_run *how = nullptr) const
    {
        check(ro_plan_run(plan_.get(), in, out, how), context_);
    }

  private:
    struct Free {
        void operator()(ro_plan *plan) const noexcept { ro_plan_free(plan); }
    };
    const ro_context *context_;
    std::unique_ptr<ro_plan, Free> plan_;
};

} // namespace roundoff

#endif
