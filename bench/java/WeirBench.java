import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Java's executors under the workloads of bench/workloads. A line of stdin asks for one run:
 * workload, system and name=value parameters, divided by tabs. The answer is a line of JSON for
 * each figure, then {"done":true}, or one line {"error":"..."}.
 */
public final class WeirBench {
  private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
  private static final int WARM_UP_RUNS = 3;

  private final PrintStream out = System.out;
  private final Map<String, Boolean> warm = new HashMap<>();

  /** Counts bodies that have run; the last one opens the latch and says when. */
  private static final class Tally {
    private final AtomicLong count = new AtomicLong();
    private final CountDownLatch done = new CountDownLatch(1);
    private final long expected;
    private volatile long finishedNs;

    Tally(long expected) {
      this.expected = expected;
    }

    void add() {
      if (count.incrementAndGet() == expected) {
        finishedNs = System.nanoTime();
        done.countDown();
      }
    }

    void await() throws InterruptedException {
      done.await();
      verify("bodies run", count.get(), expected);
    }
  }

  private record Tick(Tally sum) implements Runnable {
    @Override
    public void run() {
      sum.add();
    }
  }

  /** Holds workers until it is opened. */
  private static final class Gate {
    private final CountDownLatch inside;
    private final CountDownLatch opened = new CountDownLatch(1);
    private volatile long leftNs;

    Gate(int width) {
      inside = new CountDownLatch(width);
    }

    void hold() {
      inside.countDown();
      try {
        opened.await();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      leftNs = System.nanoTime();
    }
  }

  private interface Run {
    Map<String, Double> once(String system, Map<String, Long> p) throws Exception;
  }

  private static void verify(String what, long found, long expected) {
    if (found != expected) {
      throw new IllegalStateException(what + ": " + found + " instead of " + expected);
    }
  }

  private static ExecutorService executor(String system, long workers) {
    int threads = (int) workers;
    if (system.equals("java ForkJoinPool")) {
      return new ForkJoinPool(
          threads, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);
    }
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads, threads, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
    pool.prestartAllCoreThreads();
    return pool;
  }

  private static void close(ExecutorService pool) throws InterruptedException {
    pool.shutdownNow();
    if (!pool.awaitTermination(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("the executor does not end");
    }
  }

  private static ExecutorService held(String system, long workers, Gate gate)
      throws InterruptedException {
    ExecutorService pool = executor(system, workers);
    for (long i = 0; i < workers; ++i) {
      pool.execute(gate::hold);
    }
    gate.inside.await();
    return pool;
  }

  private static Map<String, Double> submit(String system, Map<String, Long> p) throws Exception {
    long tasks = p.get("tasks");
    int producers = p.get("producers").intValue();
    ExecutorService pool = executor(system, p.get("workers"));
    Tally sum = new Tally(tasks);
    CountDownLatch ready = new CountDownLatch(producers);
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int part = 0; part < producers; ++part) {
      long count = tasks / producers + (part < tasks % producers ? 1 : 0);
      Thread thread =
          new Thread(
              () -> {
                ready.countDown();
                try {
                  start.await();
                } catch (InterruptedException interrupted) {
                  return;
                }
                for (long i = 0; i < count; ++i) {
                  pool.execute(new Tick(sum));
                }
              });
      thread.start();
      threads.add(thread);
    }
    ready.await();
    long begin = System.nanoTime();
    start.countDown();
    sum.await();
    for (Thread thread : threads) {
      thread.join();
    }
    close(pool);
    return Map.of("time_per_task", (sum.finishedNs - begin) / (double) tasks);
  }

  private static Map<String, Double> future(String system, Map<String, Long> p) throws Exception {
    long tasks = p.get("tasks");
    ExecutorService pool = executor(system, p.get("workers"));
    List<Future<Long>> futures = new ArrayList<>((int) tasks);
    AtomicLong count = new AtomicLong();
    long begin = System.nanoTime();
    for (long i = 0; i < tasks; ++i) {
      long value = i;
      futures.add(
          pool.submit(
              () -> {
                count.incrementAndGet();
                return value;
              }));
    }
    long total = 0;
    for (Future<Long> each : futures) {
      total += each.get();
    }
    long end = System.nanoTime();
    verify("bodies run", count.get(), tasks);
    verify("sum of the results", total, tasks * (tasks - 1) / 2);
    close(pool);
    return Map.of("time_per_task", (end - begin) / (double) tasks);
  }

  /** Bytes of the heap that live objects take. */
  private static long used() throws InterruptedException {
    for (int i = 0; i < 3; ++i) {
      System.gc();
      Thread.sleep(20);
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private static Map<String, Double> pending(String system, Map<String, Long> p) throws Exception {
    long tasks = p.get("tasks");
    Gate gate = new Gate(p.get("workers").intValue());
    ExecutorService pool = held(system, p.get("workers"), gate);
    Tally sum = new Tally(tasks);
    long before = used();
    for (long i = 0; i < tasks; ++i) {
      pool.execute(new Tick(sum));
    }
    long full = used();
    verify("bodies run while the workers were held", sum.count.get(), 0);
    gate.opened.countDown();
    sum.await();
    close(pool);
    return Map.of("bytes_per_pending_task", (full - before) / (double) tasks);
  }

  private static void sleepUntil(long due) {
    for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static double quantile(long[] sorted, double part) {
    return sorted[(int) (part * (sorted.length - 1) + 0.5)];
  }

  private static Map<String, Double> latency(String system, Map<String, Long> p) throws Exception {
    int tasks = p.get("tasks").intValue();
    long period = p.get("period_us") * 1000;
    ExecutorService pool = executor(system, p.get("workers"));
    long[] found = new long[tasks];
    Tally sum = new Tally(tasks);
    long next = System.nanoTime();
    for (int i = 0; i < tasks; ++i) {
      next += period;
      sleepUntil(next);
      int index = i;
      long sent = System.nanoTime();
      pool.execute(
          () -> {
            found[index] = System.nanoTime() - sent;
            sum.add();
          });
    }
    sum.await();
    close(pool);
    Arrays.sort(found);
    return Map.of("latency_p50", quantile(found, 0.5), "latency_p99", quantile(found, 0.99));
  }

  private static Map<String, Double> cancel(String system, Map<String, Long> p) throws Exception {
    long rounds = p.get("rounds");
    Gate gate = new Gate(p.get("workers").intValue());
    ExecutorService pool = held(system, p.get("workers"), gate);
    AtomicLong ran = new AtomicLong();
    long before = used();
    long cancelled = 0;
    long begin = System.nanoTime();
    for (long i = 0; i < rounds; ++i) {
      cancelled += pool.submit(ran::incrementAndGet).cancel(false) ? 1 : 0;
    }
    long end = System.nanoTime();
    long after = used();
    verify("tasks cancelled", cancelled, rounds);
    verify("bodies run", ran.get(), 0);
    gate.opened.countDown();
    close(pool);
    return Map.of(
        "time_per_round", (end - begin) / (double) rounds, "heap_growth", (after - before) / 1e6);
  }

  private static Map<String, Double> growth(String system, Map<String, Long> p) throws Exception {
    long pending = p.get("pending");
    long bursts = p.get("tasks") / pending;
    long submitting = 0;
    long running = 0;
    ExecutorService pool = executor(system, 1);
    for (long burst = 0; burst < bursts; ++burst) {
      Gate gate = new Gate(1);
      pool.execute(gate::hold);
      gate.inside.await();
      Tally sum = new Tally(pending);
      long begin = System.nanoTime();
      for (long i = 0; i < pending; ++i) {
        pool.execute(new Tick(sum));
      }
      submitting += System.nanoTime() - begin;
      gate.opened.countDown();
      sum.await();
      running += sum.finishedNs - gate.leftNs;
    }
    close(pool);
    double count = bursts * pending;
    return Map.of(
        "time_per_task", (submitting + running) / count,
        "submit_per_task", submitting / count,
        "run_per_task", running / count);
  }

  private static ScheduledThreadPoolExecutor scheduler(long workers) {
    ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor((int) workers);
    pool.setRemoveOnCancelPolicy(true);
    pool.prestartAllCoreThreads();
    return pool;
  }

  private static Map<String, Double> timerChurn(String system, Map<String, Long> p)
      throws Exception {
    int count = p.get("timers").intValue();
    ScheduledThreadPoolExecutor pool = scheduler(p.get("workers"));
    Random random = new Random(2);
    long[] delay = random.longs(count, HOUR_NS, 2 * HOUR_NS).toArray();
    int[] order = new int[count];
    for (int i = 0; i < count; ++i) {
      int other = random.nextInt(i + 1);
      order[i] = order[other];
      order[other] = i;
    }
    ScheduledFuture<?>[] timers = new ScheduledFuture<?>[count];
    Tally sum = new Tally(count);
    long before = used();
    long begin = System.nanoTime();
    for (int i = 0; i < count; ++i) {
      timers[i] = pool.schedule(new Tick(sum), delay[i], TimeUnit.NANOSECONDS);
    }
    long inserted = System.nanoTime();
    long full = used();
    long cancelling = System.nanoTime();
    int cancelled = 0;
    for (int index : order) {
      cancelled += timers[index].cancel(false) ? 1 : 0;
      timers[index] = null;
    }
    long end = System.nanoTime();
    long after = used();
    verify("timers cancelled", cancelled, count);
    verify("timers left", pool.getQueue().size(), 0);
    close(pool);
    return Map.of(
        "insert", (inserted - begin) / (double) count,
        "cancel", (end - cancelling) / (double) count,
        "bytes_per_timer", (full - before) / (double) count,
        "bytes_kept_per_timer", (after - before) / (double) count);
  }

  private static Map<String, Double> lateness(long[] found) {
    double early = Arrays.stream(found).filter(value -> value < 0).count();
    Arrays.sort(found);
    return Map.of(
        "lateness_p50", quantile(found, 0.5) / 1e3,
        "lateness_p99", quantile(found, 0.99) / 1e3,
        "lateness_max", quantile(found, 1.0) / 1e3,
        "early", early);
  }

  private static Map<String, Double> timerLateness(String system, Map<String, Long> p)
      throws Exception {
    int count = p.get("timers").intValue();
    ScheduledThreadPoolExecutor pool = scheduler(p.get("workers"));
    long[] found = new long[count];
    Tally sum = new Tally(count);
    long from = System.nanoTime() + SECOND_NS / 2;
    long[] due = new Random(2).longs(count, from, from + SECOND_NS).toArray();
    for (int i = 0; i < count; ++i) {
      int index = i;
      pool.schedule(
          () -> {
            found[index] = System.nanoTime() - due[index];
            sum.add();
          },
          due[i] - System.nanoTime(),
          TimeUnit.NANOSECONDS);
    }
    sum.await();
    close(pool);
    return lateness(found);
  }

  private static Map<String, Double> timerSingle(String system, Map<String, Long> p)
      throws Exception {
    int count = p.get("timers").intValue();
    ScheduledThreadPoolExecutor pool = scheduler(p.get("workers"));
    long[] found = new long[count];
    Random random = new Random(3);
    for (int i = 0; i < count; ++i) {
      int index = i;
      Tally sum = new Tally(1);
      long due = System.nanoTime() + 1_000_000 + random.nextInt(1_000_000);
      pool.schedule(
          () -> {
            found[index] = System.nanoTime() - due;
            sum.add();
          },
          due - System.nanoTime(),
          TimeUnit.NANOSECONDS);
      sum.await();
    }
    close(pool);
    Map<String, Double> all = new HashMap<>(lateness(found));
    all.remove("lateness_max");
    return all;
  }

  private static final class Fib extends RecursiveTask<Long> {
    private final long n;

    Fib(long n) {
      this.n = n;
    }

    static long serial(long n) {
      return n < 2 ? n : serial(n - 1) + serial(n - 2);
    }

    static long forks(long n) {
      long last = 0;
      long next = 1;
      for (long i = 0; i < n; ++i) {
        long sum = last + next;
        last = next;
        next = sum;
      }
      return next - 1;
    }

    @Override
    protected Long compute() {
      if (n < 2) {
        return n;
      }
      Fib second = new Fib(n - 2);
      second.fork();
      return new Fib(n - 1).compute() + second.join();
    }
  }

  private static final class Tree extends RecursiveTask<Long> {
    private final long nodes;
    private final long seed;

    Tree(long nodes, long seed) {
      this.nodes = nodes;
      this.seed = seed;
    }

    static long mixed(long from) {
      long x = (from ^ (from >>> 30)) * 0xbf58476d1ce4e5b9L;
      x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL;
      return x ^ (x >>> 31);
    }

    static long serial(long nodes, long seed) {
      if (nodes == 0) {
        return 0;
      }
      long drawn = mixed(seed + nodes);
      if (nodes == 1) {
        return drawn & 0xff;
      }
      long left = Long.remainderUnsigned(drawn, nodes);
      return serial(left, drawn) + serial(nodes - 1 - left, ~drawn) + (drawn & 0xff);
    }

    static long forks(long nodes, long seed) {
      if (nodes < 2) {
        return 0;
      }
      long drawn = mixed(seed + nodes);
      long left = Long.remainderUnsigned(drawn, nodes);
      return 1 + forks(left, drawn) + forks(nodes - 1 - left, ~drawn);
    }

    @Override
    protected Long compute() {
      if (nodes == 0) {
        return 0L;
      }
      long drawn = mixed(seed + nodes);
      if (nodes == 1) {
        return drawn & 0xff;
      }
      long left = Long.remainderUnsigned(drawn, nodes);
      Tree second = new Tree(nodes - 1 - left, ~drawn);
      second.fork();
      return new Tree(left, drawn).compute() + second.join() + (drawn & 0xff);
    }
  }

  private static final class Queens extends RecursiveTask<Long> {
    private final int all;
    private final int columns;
    private final int down;
    private final int up;
    private final int among;

    Queens(int all, int columns, int down, int up, int among) {
      this.all = all;
      this.columns = columns;
      this.down = down;
      this.up = up;
      this.among = among;
    }

    static int lowerHalf(int among) {
      int lower = 0;
      int rest = among;
      for (int left = Integer.bitCount(among) / 2; left > 0; --left) {
        int lowest = Integer.lowestOneBit(rest);
        lower |= lowest;
        rest ^= lowest;
      }
      return lower;
    }

    /** Forks that it would make are counted in `forks[0]`. */
    static long serial(int all, int columns, int down, int up, int among, long[] forks) {
      if ((among & (among - 1)) == 0) {
        int taken = columns | among;
        if (taken == all) {
          return 1;
        }
        int nextDown = (down | among) << 1;
        int nextUp = (up | among) >> 1;
        int free = all & ~(taken | nextDown | nextUp);
        return free == 0 ? 0 : serial(all, taken, nextDown, nextUp, free, forks);
      }
      ++forks[0];
      int lower = lowerHalf(among);
      return serial(all, columns, down, up, lower, forks)
          + serial(all, columns, down, up, among ^ lower, forks);
    }

    @Override
    protected Long compute() {
      if ((among & (among - 1)) == 0) {
        int taken = columns | among;
        if (taken == all) {
          return 1L;
        }
        int nextDown = (down | among) << 1;
        int nextUp = (up | among) >> 1;
        int free = all & ~(taken | nextDown | nextUp);
        return free == 0 ? 0 : new Queens(all, taken, nextDown, nextUp, free).compute();
      }
      int lower = lowerHalf(among);
      Queens second = new Queens(all, columns, down, up, among ^ lower);
      second.fork();
      return new Queens(all, columns, down, up, lower).compute() + second.join();
    }
  }

  private interface Serial {
    long once();
  }

  private static Map<String, Double> forked(
      long workers, long forks, Serial serial, Supplier<RecursiveTask<Long>> task)
      throws InterruptedException {
    ForkJoinPool pool = new ForkJoinPool((int) workers);
    for (int warm = 0; warm < 3; ++warm) {
      pool.invoke(task.get());
      serial.once();
    }
    long begin = System.nanoTime();
    long expected = serial.once();
    long between = System.nanoTime();
    long found = pool.invoke(task.get());
    long end = System.nanoTime();
    verify("result", found, expected);
    close(pool);
    return Map.of(
        "time_per_fork", (end - between) / (double) forks,
        "serial_per_fork", (between - begin) / (double) forks,
        "to_serial", (end - between) / (double) (between - begin));
  }

  private static Map<String, Double> fib(String system, Map<String, Long> p) throws Exception {
    long n = p.get("n");
    return forked(p.get("workers"), Fib.forks(n), () -> Fib.serial(n), () -> new Fib(n));
  }

  private static Map<String, Double> tree(String system, Map<String, Long> p) throws Exception {
    long nodes = p.get("nodes");
    return forked(
        p.get("workers"),
        Tree.forks(nodes, 1),
        () -> Tree.serial(nodes, 1),
        () -> new Tree(nodes, 1));
  }

  private static Map<String, Double> nqueens(String system, Map<String, Long> p)
      throws Exception {
    int all = (1 << p.get("n").intValue()) - 1;
    long[] forks = new long[1];
    Queens.serial(all, 0, 0, 0, all, forks);
    long count = forks[0];
    return forked(
        p.get("workers"),
        count,
        () -> Queens.serial(all, 0, 0, 0, all, forks),
        () -> new Queens(all, 0, 0, 0, all));
  }

  private static final Map<String, Run> RUNS =
      new HashMap<>(Map.of(
          "submit", WeirBench::submit,
          "future", WeirBench::future,
          "pending", WeirBench::pending,
          "latency", WeirBench::latency,
          "cancel", WeirBench::cancel,
          "growth", WeirBench::growth,
          "timer_churn", WeirBench::timerChurn,
          "timer_lateness", WeirBench::timerLateness,
          "timer_single", WeirBench::timerSingle));

  static {
    RUNS.put("fib", WeirBench::fib);
    RUNS.put("tree", WeirBench::tree);
    RUNS.put("nqueens", WeirBench::nqueens);
  }

  private static String unitOf(String metric) {
    if (metric.startsWith("bytes")) {
      return "B";
    }
    if (metric.startsWith("lateness")) {
      return "us";
    }
    if (metric.equals("heap_growth")) {
      return "MB";
    }
    return metric.equals("early") || metric.equals("to_serial") ? "" : "ns";
  }

  /** Before its first timed run each workload runs some times, so that it is compiled. */
  private void answer(String line) throws Exception {
    String[] words = line.split("\t");
    Run run = RUNS.get(words[0]);
    if (run == null) {
      throw new IllegalArgumentException("no workload " + words[0]);
    }
    Map<String, Long> p = new HashMap<>();
    for (int i = 2; i < words.length; ++i) {
      String[] pair = words[i].split("=");
      p.put(pair[0], Long.valueOf(pair[1]));
    }
    boolean timed = words[0].startsWith("timer_") && !words[0].equals("timer_churn");
    if (!timed && warm.putIfAbsent(words[0] + words[1], true) == null) {
      for (int i = 0; i < WARM_UP_RUNS; ++i) {
        run.once(words[1], p);
      }
    }
    System.gc();
    for (Map.Entry<String, Double> each : run.once(words[1], p).entrySet()) {
      out.println(
          "{\"metric\":\"" + each.getKey() + "\",\"unit\":\"" + unitOf(each.getKey())
              + "\",\"value\":" + each.getValue() + "}");
    }
    out.println("{\"done\":true}");
    out.flush();
  }

  public static void main(String[] arguments) throws IOException {
    WeirBench bench = new WeirBench();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      try {
        bench.answer(line);
      } catch (Exception failure) {
        String text = String.valueOf(failure).replaceAll("[\"\\\\\\p{Cntrl}]", " ");
        System.out.println("{\"error\":\"" + text + "\"}");
        System.out.flush();
      }
    }
    System.exit(0);
  }
}
