import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'

/** The real service, in memory, for as long as it is judged. */
export const withService = async <T>(judge: (url: string) => Promise<T>): Promise<T> => {
  const app = await openApp(
    readConfig({ PORT: '0', MANAGEMENT_PORT: 'off', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'silent' }),
  )
  try {
    return await judge(app.url)
  } finally {
    await app.close()
  }
}
