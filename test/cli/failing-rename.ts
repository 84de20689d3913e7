/** A module that makes renaming a file whose name ends like this fail with EIO. */
export const failingRename = (from: string) =>
  `data:text/javascript,${encodeURIComponent(`
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { renameSync } = fs
    fs.renameSync = (from, to) => {
      if (from.endsWith('${from}')) throw Object.assign(new Error('EIO'), { syscall: 'rename' })
      renameSync(from, to)
    }
    syncBuiltinESMExports()`)}`
