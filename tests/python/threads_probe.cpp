/* The program of `threads_probe.c` by the header for C++, without watching: `threads_probe SECONDS`. */
#include "robot.hpp"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <mutex>

using Clock = std::chrono::steady_clock;

static void burn(std::int64_t ns)
{
    auto now = [] {
        timespec at{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
        return at.tv_sec * INT64_C(1000000000) + at.tv_nsec;
    };
    for (std::int64_t until = now() + ns; now() < until;) {
    }
}

static void show(const char *name, const threads::seen &seen)
{
    std::cout << name << ' ' << seen.jobs << ' ' << seen.late << ' ' << seen.longest_ns << '\n';
}

int main(int, char **argv)
{
    try {
        threads::init();
        const auto end = Clock::now() + std::chrono::duration<double>(std::atof(argv[1]));
        auto job = [end](std::int64_t ns, threads::mutex &mutex) {
            return [end, ns, &mutex] {
                burn(ns / 2);
                std::lock_guard<threads::mutex> held(mutex);
                burn(ns / 2);
                return Clock::now() < end;
            };
        };
        std::thread sensor = threads::start_sensor(job(500000, threads::mutex_map));
        std::thread planner = threads::start_planner_of_the_route(job(1000000, threads::mutex_map));
        std::thread journal = threads::start_journal(job(1000000, threads::mutex_log));
        std::thread radio = threads::start_radio(job(600000, threads::mutex_log));
        std::thread camera = threads::start_camera([end] {
            burn(800000);
            return Clock::now() < end;
        });
        for (std::thread *thread : {&sensor, &planner, &journal, &radio, &camera})
            thread->join();
    } catch (const std::system_error &error) {
        std::cerr << error.what() << '\n';
        return 3;
    }
    show("sensor", threads::seen_sensor);
    show("planner", threads::seen_planner_of_the_route);
    show("journal", threads::seen_journal);
    show("radio", threads::seen_radio);
    show("camera", threads::seen_camera);
    return 0;
}
