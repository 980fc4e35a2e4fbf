# The BEAM's side of beam.bench.ts. Each line of input asks for one figure, as its name and a number of repeats, and is
# answered by one line of JSON. Each figure is taken in a process of its own, so that none leaves its garbage to the next.
#
#   echo "call 100000" | elixir --erl "+S 1:1 +P 4000000" figures.exs

defmodule Echo do
  use GenServer
  @impl true
  def init(told), do: {:ok, tell(told)}
  @impl true
  def handle_call(:count, _from, count), do: {:reply, count, count}
  @impl true
  def handle_cast(:add, count), do: {:noreply, count + 1}

  # A number to begin with; or whom to tell of each start, for a child that is killed again and again.
  defp tell(count) when is_integer(count), do: count

  defp tell(owner) do
    send(owner, {:started, self()})
    0
  end
end

defmodule Figures do
  def take("start", children) do
    before = bytes()
    {cpu_before, _} = :erlang.statistics(:runtime)
    {pool, us} = timed(fn -> fill(children) end)
    {cpu_after, _} = :erlang.statistics(:runtime)
    cpu_us = (cpu_after - cpu_before) * 1_000
    figures = %{perSecond: per_second(children, us), cpuUsEach: cpu_us / children, bytesEach: (bytes() - before) / children}
    # A stop in order would be quadratic in the children.
    end_by(pool, :kill)
    figures
  end

  def take("stop", children) do
    pool = fill(children)
    {_, us} = timed(fn -> end_by(pool, :shutdown) end)
    %{usEach: us / children}
  end

  def take("call", times) do
    {:ok, echo} = GenServer.start_link(Echo, 0)
    {_, us} = timed(fn -> repeat(times, fn _ -> GenServer.call(echo, :count) end) end)
    %{perSecond: per_second(times, us)}
  end

  def take("cast", times) do
    {:ok, echo} = GenServer.start_link(Echo, 0)

    {_, us} =
      timed(fn ->
        repeat(div(times, 1_000), fn _ ->
          repeat(1_000, fn _ -> GenServer.cast(echo, :add) end)
          GenServer.call(echo, :count)
        end)
      end)

    %{perSecond: per_second(times, us)}
  end

  def take("drain", messages) do
    {:ok, echo} = GenServer.start_link(Echo, 0)
    :sys.suspend(echo)
    repeat(messages, fn _ -> GenServer.cast(echo, :add) end)

    {_, us} =
      timed(fn ->
        :sys.resume(echo, :infinity)
        GenServer.call(echo, :count, :infinity)
      end)

    %{nsEach: us * 1_000 / messages}
  end

  def take("lookUp", times) do
    count = 100_000
    keys = List.to_tuple(for n <- 0..(count - 1), do: "project-#{n}")
    {:ok, registry} = Registry.start_link(keys: :unique, name: Projects)
    for key <- Tuple.to_list(keys), do: {:ok, _} = Registry.register(Projects, key, nil)
    {_, us} = timed(fn -> repeat(times, fn n -> [_] = Registry.lookup(Projects, elem(keys, rem(n * 7919, count))) end) end)
    end_by(registry, :kill)
    %{perSecond: per_second(times, us)}
  end

  def take("restart", times) do
    child = %{id: :crasher, start: {GenServer, :start_link, [Echo, self()]}}
    {:ok, supervisor} = Supervisor.start_link([child], strategy: :one_for_one, max_restarts: 100_000_000)

    {_, us} =
      timed(fn ->
        repeat(times, fn _ ->
          receive do
            {:started, pid} -> Process.exit(pid, :kill)
          end
        end)

        receive do
          {:started, _} -> :ok
        end
      end)

    end_by(supervisor, :kill)
    %{perSecond: per_second(times, us)}
  end

  def take("timer", timers) do
    {armed, arm_us} =
      timed(fn -> for n <- 1..timers, do: Process.send_after(self(), :due, 1_000_000 + rem(n * 7919, 1_000_000)) end)

    {_, cancel_us} = timed(fn -> Enum.each(armed, &Process.cancel_timer/1) end)
    %{armNs: arm_us * 1_000 / timers, cancelNs: cancel_us * 1_000 / timers}
  end

  defp fill(children) do
    {:ok, pool} = DynamicSupervisor.start_link(strategy: :one_for_one)
    spec = %{id: :idle, start: {GenServer, :start_link, [Echo, 0]}}
    repeat(children, fn _ -> {:ok, _} = DynamicSupervisor.start_child(pool, spec) end)
    pool
  end

  defp end_by(pid, reason) do
    Process.unlink(pid)
    monitor = Process.monitor(pid)
    Process.exit(pid, reason)

    receive do
      {:DOWN, ^monitor, _, _, _} -> :ok
    end
  end

  defp repeat(0, _), do: :ok

  defp repeat(times, run) do
    run.(times)
    repeat(times - 1, run)
  end

  defp timed(run) do
    start = System.monotonic_time(:nanosecond)
    result = run.()
    {result, (System.monotonic_time(:nanosecond) - start) / 1_000}
  end

  defp per_second(times, us), do: times / us * 1.0e6

  defp bytes do
    :erlang.garbage_collect()
    :erlang.memory(:total)
  end

  def json(figures) do
    "{" <> Enum.map_join(figures, ",", fn {name, value} -> "\"#{name}\":#{:erlang.float_to_binary(value, decimals: 3)}" end) <> "}"
  end
end

:logger.set_primary_config(:level, :none)

for line <- IO.stream(:stdio, :line) do
  [name, times] = String.split(line)
  task = Task.async(fn -> Figures.take(name, String.to_integer(times)) end)
  IO.puts(Figures.json(Task.await(task, :infinity)))
end
