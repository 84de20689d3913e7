import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** The reason why this machine cannot have a small disk, or false. */
export const noSmallDisk =
  process.platform !== 'linux' ? 'only Linux has tmpfs' : process.getuid?.() !== 0 && 'only root may mount'

/** A disk of this size, such as `2m`, in a folder. */
export const smallDisk = (t: TestContext, folder: string, size: string) => {
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk])
  t.after(() => execFileSync('umount', ['-l', disk]))
  return disk
}

export const resize = (disk: string, size: string) =>
  execFileSync('mount', ['-o', `remount,size=${size}`, 'tmpfs', disk])
