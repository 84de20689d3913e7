import { spawnSync } from 'node:child_process'
import { main } from './program.ts'

/** The user under which a test runs a service without root. */
export const otherUser = { uid: 1_000, gid: 1_000 } as const

/** The reason why this process cannot run the program as another user, or false. */
export const noOtherUser = (): string | false => {
  if (process.geteuid?.() !== 0) return 'only root may run commands as another user'
  const { status } = spawnSync(process.execPath, [main, '--version'], otherUser)
  return status === 0 ? false : 'another user may not read this clone'
}
