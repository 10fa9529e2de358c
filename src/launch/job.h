#pragma once

#include <memory>
#include <string>

#include "system/ranks.h"

namespace schemamem {

/// This process as one of those that a launcher such as mpirun started together. Lives as long as main: its end waits
/// for the others'.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  virtual ~Job() = default;

  virtual Ranks& ranks() = 0;
  /// Ends all processes of the job at once, with this exit code; alone there is nothing to end, and it returns.
  virtual void end_all(int code) = 0;
};

/// This process and no other.
std::unique_ptr<Job> job_of_one();
/// The job that this process belongs to. A build without MPI, and a process that no launcher started, are alone.
std::unique_ptr<Job> join_job();

/// The MPI library that the program was built with; nothing if it was built without.
std::string mpi_library();

}  // namespace schemamem
