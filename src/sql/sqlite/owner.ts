import { closeSync, constants, fchmodSync, fchownSync, fstatSync, openSync, statSync } from 'node:fs'

/**
 * If the process runs as root, gives the new file to the owner of `model`, which is usually the folder of the file. The service
 * usually runs as this owner, and could not open a file of root. SQLite does the same with the WAL.
 */
export const giveToOwnerOf = (model: string, path: string) => {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(model)
  withDescriptor(path, (descriptor) => fchownSync(descriptor, uid, gid))
}

/** As `giveToOwnerOf`. If `model` is a file, also copies its mode, but always lets the owner read and write. */
export const copyOwnerAndMode = (model: string, path: string) => {
  giveToOwnerOf(model, path)
  const stats = statSync(model)
  if (stats.isFile())
    withDescriptor(path, (descriptor) => fchmodSync(descriptor, (stats.mode & 0o777) | 0o600))
}

const noFollow = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Does not follow a symbolic link, and does not change a file that has another hard link: the owner of the folder could have
 * created the link to become the owner of a file of root. If the file system or a container forbids the change, the file stays
 * as it was created.
 */
const withDescriptor = (path: string, change: (descriptor: number) => void) => {
  const descriptor = openSync(path, noFollow)
  try {
    const stats = fstatSync(descriptor)
    if (stats.isDirectory() || stats.nlink === 1) change(descriptor)
  } catch {
    // The change is forbidden.
  } finally {
    closeSync(descriptor)
  }
}
