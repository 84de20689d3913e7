import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plantingOption } from '#lab/planted/planting.ts'
import type { Fault, Outcome } from './fault.ts'

export interface Message {
  readonly share?: number
  readonly words?: string | undefined
  readonly outcome?: Outcome
}

export interface FaultRun {
  readonly fault: Pick<Fault, 'name' | 'apart'>
  readonly size: number
  /** The mistake that the service is to have. */
  readonly plant?: string
  readonly progress?: (share: number, words?: string) => void
}

/** More than the longest fault takes. */
const limitMs = 1_800_000

/** Runs a fault in a process group and a directory of its own. Afterwards all that it started is killed, and the directory removed. */
export const runFaultApart = async ({ fault, size, plant, progress }: FaultRun): Promise<Outcome> => {
  const directory = mkdtempSync(join(tmpdir(), 'rollcall-fault-'))
  const script = [process.execPath, join(import.meta.dirname, 'one.ts'), fault.name, String(size), directory]
  const [program = '', ...args] = fault.apart ? [...newNetwork, ...script] : script
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, ...(plant && { NODE_OPTIONS: plantingOption(plant) }) },
  })
  let outcome: Outcome | undefined
  let words = ''
  child.on('message', (message: Message) => {
    outcome ??= message.outcome
    if (message.outcome) endGroup(child.pid)
    else if (message.share !== undefined) progress?.(message.share, message.words)
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-2000)
  })
  const timer = setTimeout(() => endGroup(child.pid), limitMs)
  const [code] = await once(child, 'exit')
  clearTimeout(timer)
  endGroup(child.pid)
  // The processes of PostgreSQL notice a moment later that their server is gone.
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  return outcome ?? { figure: 'no outcome', broken: [`it ended with ${code}: ${words}`], figures: {} }
}

const maxTries = 3

/** A void history shows neither that a promise holds nor that it is broken, so the fault is run again. */
export const runUntilNotVoid = async (trial: FaultRun): Promise<Outcome> => {
  for (let tries = 1; ; tries++) {
    const outcome = await runFaultApart(trial)
    const isVoid = outcome.broken.length > 0 && outcome.broken.every((reason) => reason.startsWith('void:'))
    if (!isVoid || tries === maxTries) return outcome
  }
}

const newNetwork = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']

const endGroup = (pid: number | undefined) => {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch {
    // The group is already empty.
  }
}
