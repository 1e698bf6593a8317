"""What the report shows of each workload: (metric, heading) pairs, the chief one first.

A workload with several cases gets a table for each pair, with a column for each case. One with a
single case gets one table, with a column for each pair.
"""

LAYOUT = {
    "submit": [("time_per_task", "Time per task"),
               ("cpu_per_task", "Processor time per task"),
               ("switches_per_1000_tasks", "Context switches per 1000 tasks"),
               ("allocations_per_task", "Calls of operator new per task")],
    "future": [("time_per_task", "time per task"), ("cpu_per_task", "processor time"),
               ("switches_per_1000_tasks", "switches per 1000"),
               ("allocations_per_task", "allocations")],
    "pending": [("bytes_per_pending_task", "per waiting task"), ("resident_before", "before"),
                ("resident_full", "at most"), ("resident_after", "after"),
                ("resident_after_to_before", "after / before")],
    "latency": [("latency_p50", "median"), ("latency_p99", "99 %"), ("floor_p50", "floor, median"),
                ("floor_p99", "floor, 99 %"), ("cpu_per_task", "processor time"),
                ("switches_per_1000_tasks", "switches per 1000")],
    "idle": [("switches", "Context switches"), ("cpu", "Processor time")],
    "timer_churn": [("insert", "set"), ("cancel", "cancel"), ("floor_cancel", "floor of cancel"),
                    ("bytes_per_timer", "per timer"), ("bytes_kept_per_timer", "kept per timer")],
    "timer_lateness": [("lateness_p50", "median"), ("lateness_p99", "99 %"),
                       ("lateness_max", "most"), ("floor_p50", "floor, median"),
                       ("floor_p99", "floor, 99 %"), ("early", "early"),
                       ("cpu_per_timer", "processor time")],
    "timer_single": [("lateness_p50", "median"), ("lateness_p99", "99 %"),
                     ("floor_p50", "floor, median"), ("floor_p99", "floor, 99 %"),
                     ("early", "early")],
    "fib": [("time_per_fork", "Time per fork"), ("to_serial", "Multiple of its own serial time"),
            ("serial_per_fork", "Serially, per fork")],
    "tree": [("time_per_fork", "per fork"), ("to_serial", "to serial"),
             ("serial_per_fork", "serially")],
    "nqueens": [("time_per_fork", "per fork"), ("to_serial", "to serial"),
                ("serial_per_fork", "serially")],
    "growth": [("time_per_task", "Time per task"), ("submit_per_task", "Submitting it"),
               ("run_per_task", "Running it")],
    "finished": [("time_per_task_young", "young"), ("time_per_task_old", "old"),
                 ("old_to_young", "old / young")],
    "cancel": [("time_per_round", "time per round"), ("resident_growth", "growth, resident"),
               ("heap_growth", "growth, Java heap")],
}
