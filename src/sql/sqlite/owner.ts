import { closeSync, constants, fchmodSync, fchownSync, fstatSync, openSync, statSync } from 'node:fs'

/**
 * Gives what root has created to the owner of another file or folder, usually of the folder that it is in: the service runs as
 * that user, and could not open it otherwise. SQLite does the same with the log of a database.
 */
export const giveToOwnerOf = (model: string, path: string) => {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(model)
  onItself(path, (descriptor) => fchownSync(descriptor, uid, gid))
}

/**
 * As `giveToOwnerOf`. Whoever does it, the file also gets the mode of the other one, unless that is a folder; but its owner may
 * always write to it.
 */
export const makeLike = (model: string, path: string) => {
  giveToOwnerOf(model, path)
  const found = statSync(model)
  if (found.isFile()) onItself(path, (descriptor) => fchmodSync(descriptor, (found.mode & 0o777) | 0o600))
}

const unlinked = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Follows no link, and changes no file that has a second name: whoever owns the folder may have put it there, to get a file of
 * root's. Where the file system or a container does not allow the change, nothing changes.
 */
const onItself = (path: string, change: (descriptor: number) => void) => {
  const descriptor = openSync(path, unlinked)
  try {
    const found = fstatSync(descriptor)
    if (found.isDirectory() || found.nlink === 1) change(descriptor)
  } catch {
    // It stays as it was created.
  } finally {
    closeSync(descriptor)
  }
}
