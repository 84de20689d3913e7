import { closeSync, constants, fchmodSync, fchownSync, fstatSync, openSync, statSync } from 'node:fs'

/**
 * If root runs this, gives the new file to the owner of `model`, usually its folder: the service runs as that user and could
 * not open the file otherwise. SQLite does the same with the WAL.
 */
export const giveToOwnerOf = (model: string, path: string) => {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(model)
  onItself(path, (descriptor) => fchownSync(descriptor, uid, gid))
}

/** As `giveToOwnerOf`, and for every user: copies the mode of a model that is a file, but the owner may always write. */
export const makeLike = (model: string, path: string) => {
  giveToOwnerOf(model, path)
  const found = statSync(model)
  if (found.isFile()) onItself(path, (descriptor) => fchmodSync(descriptor, (found.mode & 0o777) | 0o600))
}

const unlinked = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Follows no link and changes no file with a second name: the owner of the folder may have placed it there to take over a file
 * of root's. Changes nothing if the file system or a container does not allow it.
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
