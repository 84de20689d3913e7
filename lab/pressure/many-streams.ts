/** The service without a limit of streams. */
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'

const streams = {
  ...{ unreadMs: 20_000, cutOffCount: 0, principalNames: [] },
  get count() {
    return 0
  },
  set count(_) {},
}
await openApp(readConfig(process.env), { streams })
