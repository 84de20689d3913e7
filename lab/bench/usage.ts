import { existsSync, readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100
const pageBytes = 4096

/** What a process has used so far. All zero where the system has no /proc. */
export const usage = (pid: number) => {
  const stat = fieldsOf(`/proc/${pid}`)
  return {
    cpuMs: ((Number(stat[11]) + Number(stat[12])) * 1000) / ticksPerSecond,
    residentBytes: Number(stat[21]) * pageBytes,
    writtenBytes: written(pid),
  }
}

/** True if one of its threads runs, or waits for the disk. */
export const isBusy = (pid: number) => {
  const threads = `/proc/${pid}/task`
  return (
    existsSync(threads) &&
    readdirSync(threads).some((thread) => 'RD'.includes(stateOf(`${threads}/${thread}`)))
  )
}

const stateOf = (process: string) => fieldsOf(process)[0] ?? ''

/** The fields after the name, which may contain spaces. */
const fieldsOf = (process: string) => {
  const stat = text(`${process}/stat`)
  return stat === ''
    ? Array.from({ length: 22 }, () => '0')
    : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

const written = (pid: number) => Number(/^write_bytes: (\d+)$/m.exec(text(`/proc/${pid}/io`))?.[1] ?? 0)

/** How long the cores have worked in total, for any process. */
export const machineBusyMs = () => {
  const { user, nice, system, irq, softirq, steal } = machine()
  return user + nice + system + irq + softirq + steal
}

/** How long the host has given our cores to others while they had work; 0 if it does not report that. */
export const stealMs = () => machine().steal

const machine = () => {
  const [, ...ticks] = text('/proc/stat').split('\n', 1)[0]?.split(/\s+/) ?? []
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = ticks.map(
    (each) => (Number(each) * 1000) / ticksPerSecond,
  )
  return { user, nice, system, irq, softirq, steal }
}

const text = (path: string) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
