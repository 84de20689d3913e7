import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { rootCauseOf } from '#core/cause.ts'
import { request as httpRequest } from '#http/wire/node-http.ts'
import { CommandFailed, exitCodes } from '#src/cli/exit.ts'
import { jsonLine, print } from '#src/cli/output.ts'
import { addSettingFlags, configOf } from '#src/cli/settings.ts'
import { hostAndPort } from '#src/config/allowed-hosts.ts'
import type { Config } from '#src/config.ts'

export const healthCommand = () => {
  const command = new Command('health').description(
    'Check whether the service with these settings answers: exit code 0 if it does, 1 if not. For container health checks.',
  )
  addSettingFlags(command, [
    ...(['HOST', 'PORT', 'MANAGEMENT_HOST', 'MANAGEMENT_PORT'] as const),
    ...(['TLS_CERT', 'TLS_KEY', 'SETTINGS_FILE'] as const),
  ]).addHelpText(
    'after',
    '\nIt checks liveness, not readiness: a process that only waits for its database must not be restarted.' +
      '\n\nExample:\n  rollcall health --settings-file /etc/rollcall/settings',
  )
  command.option('--json', 'report the answer as JSON')
  return command.action(async ({ json }: { json?: true }) => {
    const { says, ...answer } = await probe(configOf(command))
    if (!answer.isUp && !json) throw new CommandFailed(says)
    if (!answer.isUp) process.exitCode = exitCodes.failed
    await print(json ? jsonLine({ ...answer, says }) : says)
  })
}

const timeoutMs = 2_500

const probe = async (config: Config) => {
  const request = healthRequestOf(config)
  const address = hostAndPort(request.host, request.port)
  try {
    const { status } = await askService(config, request)
    return { says: `${address} answers with ${status}.`, isUp: status < 300 }
  } catch (error) {
    return { says: `${address} does not answer: ${rootCauseOf(error)}.`, isUp: false }
  }
}

interface HealthRequest {
  readonly host: string
  readonly port: number
  readonly method: string
  readonly path: string
}

export const askService = async ({ TLS_CERT }: Config, healthRequest: HealthRequest) => {
  const request = TLS_CERT === undefined ? httpRequest : httpsRequest
  const signal = AbortSignal.timeout(timeoutMs)
  // Not verified: the certificate has the public name of the service, but this request goes to a local address.
  const outgoing = request({ ...healthRequest, signal, rejectUnauthorized: false, agent: false }).end()
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 500, body: await text(answer) }
}

/** Without a management listener, sends OPTIONS * to the API, which any HTTP server answers (RFC 9110, 9.3.7). */
const healthRequestOf = ({ HOST, PORT, MANAGEMENT_HOST, MANAGEMENT_PORT }: Config): HealthRequest =>
  MANAGEMENT_PORT === 'off'
    ? { host: HOST, port: PORT, method: 'OPTIONS', path: '*' }
    : { host: MANAGEMENT_HOST, port: MANAGEMENT_PORT, method: 'GET', path: '/health/live' }
