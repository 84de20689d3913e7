import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { killedOnExit } from './ending.ts'

/** Other callers would be on machines of their own. Here they take only idle processor time, if the system supports that. */
export const othersYield = spawnSync('chrt', ['--idle', '0', 'true']).status === 0

/** Starts other callers who do this, in a process of their own. */
export const offend = async (origin: string, name: string) => {
  const command = [process.execPath, join(import.meta.dirname, 'offend.ts'), origin, name]
  const [program = '', ...args] = othersYield ? ['chrt', '--idle', '0', ...command] : command
  const child = killedOnExit(spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] }))
  await once(child, 'spawn')
  return {
    async stop() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
