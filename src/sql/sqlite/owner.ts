import { closeSync, constants, fchmodSync, fchownSync, fstatSync, openSync, statSync } from 'node:fs'

/**
 * If the process runs as root, gives the new file to the owner of `model`, which is usually the folder of the file. The service runs
 * as that owner and could not open the file otherwise. SQLite does the same with the WAL.
 */
export const giveToOwnerOf = (model: string, path: string) => {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(model)
  onItself(path, (descriptor) => fchownSync(descriptor, uid, gid))
}

/**
 * Does what `giveToOwnerOf` does. If `model` is a file, also copies its mode, whoever runs the process; the owner may always read
 * and write.
 */
export const copyOwnerAndMode = (model: string, path: string) => {
  giveToOwnerOf(model, path)
  const found = statSync(model)
  if (found.isFile()) onItself(path, (descriptor) => fchmodSync(descriptor, (found.mode & 0o777) | 0o600))
}

const unlinked = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Does not follow a symbolic link, and does not change a file that has another hard link: the owner of the folder could have put
 * the link there to become the owner of a file of root. If the file system or a container forbids the change, nothing changes.
 */
const onItself = (path: string, change: (descriptor: number) => void) => {
  const descriptor = openSync(path, unlinked)
  try {
    const found = fstatSync(descriptor)
    if (found.isDirectory() || found.nlink === 1) change(descriptor)
  } catch {
    // The file stays as it was created.
  } finally {
    closeSync(descriptor)
  }
}
