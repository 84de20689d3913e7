import { messageOf } from '#core/cause.ts'
import { SettingError } from '#src/config.ts'

/** Fails a start with a sentence about a file that a setting names and that cannot be read. */
export const unreadable =
  (name: string, path: string) =>
  (error: unknown): never => {
    const { code } = Object(error) as NodeJS.ErrnoException
    const words: Readonly<Record<string, string>> = {
      ENOENT: `there is no file ${path}`,
      EACCES: `permission for ${path} is denied`,
      EISDIR: `${path} is a folder`,
    }
    throw new SettingError(`${name} cannot be read: ${words[code ?? ''] ?? messageOf(error)}.`, {
      cause: error,
    })
  }
