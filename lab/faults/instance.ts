import { openService, type Service, type ServiceParts } from '#lab/service.ts'
import { freePort } from '../../test/free-port.ts'

export type Instance = Awaited<ReturnType<typeof openInstance>>

/** An instance that keeps its ports across restarts. */
export const openInstance = async (
  databaseUrl: string,
  settings: NodeJS.ProcessEnv = {},
  nodeArguments: ServiceParts['nodeArguments'] = [],
) => {
  const [port, managementPort] = [await freePort(), await freePort()]
  let isEnding = false
  const open = async () => {
    const opened = await openService({
      ...{ databaseUrl, port, nodeArguments },
      settings: { MANAGEMENT_PORT: String(managementPort), ...settings },
    })
    isEnding = false
    void opened.gone.then((how) => {
      if (!isEnding) process.stderr.write(`an instance ended with ${how}: ${opened.lastOutput()}\n`)
    })
    return opened
  }
  let service: Service = await open()
  return {
    port,
    managementPort,
    get url() {
      return service.url
    },
    get pid() {
      return service.pid
    },
    /** Ends it, starts it again, and returns how it ended. */
    async restart(signal: NodeJS.Signals) {
      isEnding = true
      const end = await service.end(signal)
      service = await open()
      return end
    },
    end(signal: NodeJS.Signals = 'SIGKILL') {
      isEnding = true
      return service.end(signal)
    },
  }
}
