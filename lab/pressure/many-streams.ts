/** The service without a limit of streams. */
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'

const streams = {
  ...{ unreadMs: 20_000, cut: 0, readers: [] },
  get open() {
    return 0
  },
  set open(_) {},
}
await openApp(readConfig(process.env), { streams })
