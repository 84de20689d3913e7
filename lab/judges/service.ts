import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'

/** Runs the real service, in memory, while it is judged. */
export const withService = async <T>(
  judge: (url: string) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> => {
  const given = { PORT: '0', MANAGEMENT_PORT: 'off', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'silent' }
  const app = await openApp(readConfig({ ...given, ALLOWED_HOSTS: '*', ...settings }))
  try {
    return await judge(app.url)
  } finally {
    await app.close()
  }
}
