import { openService, type Service } from '#lab/service.ts'
import { freePort } from '../../test/free-port.ts'

export type Instance = Awaited<ReturnType<typeof openInstance>>

/** An instance that keeps its ports across restarts. */
export const openInstance = async (databaseUrl: string, settings: NodeJS.ProcessEnv = {}) => {
  const [port, managementPort] = [await freePort(), await freePort()]
  const open = () =>
    openService({ databaseUrl, port, settings: { MANAGEMENT_PORT: String(managementPort), ...settings } })
  let service: Service = await open()
  return {
    port,
    managementPort,
    get url() {
      return service.url
    },
    /** Ends it, starts it again, and returns how it ended. */
    async restart(signal: NodeJS.Signals) {
      const end = await service.end(signal)
      service = await open()
      return end
    },
    end: (signal: NodeJS.Signals = 'SIGKILL') => service.end(signal),
  }
}
