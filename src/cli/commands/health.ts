import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request as secure } from 'node:https'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { causeOf } from '#core/cause.ts'
import { request as plain } from '#http/wire/node-http.ts'
import { CommandFailed, exitCodes } from '#src/cli/exit.ts'
import { jsonLine, print } from '#src/cli/output.ts'
import { addSettings, configOf } from '#src/cli/settings.ts'
import { hostAndPort } from '#src/config/allowed-hosts.ts'
import type { Config } from '#src/config.ts'

export const healthCommand = () => {
  const command = new Command('health').description(
    'Check whether the service with these settings answers: exit code 0 if it does, 1 if not. For container health checks.',
  )
  addSettings(command, [
    ...(['HOST', 'PORT', 'MANAGEMENT_HOST', 'MANAGEMENT_PORT'] as const),
    ...(['TLS_CERT', 'TLS_KEY', 'SETTINGS_FILE'] as const),
  ]).addHelpText(
    'after',
    '\nIt checks that the process is live, not that it is ready: nothing should kill a process that waits for its database.' +
      '\n\nExample:\n  rollcall health --settings-file /etc/rollcall/settings',
  )
  command.option('--json', 'report the answer as JSON')
  return command.action(async ({ json }: { json?: true }) => {
    const { says, ...found } = await probe(configOf(command))
    if (!found.isUp && !json) throw new CommandFailed(says)
    if (!found.isUp) process.exitCode = exitCodes.failed
    await print(json ? jsonLine({ ...found, says }) : says)
  })
}

const timeoutMs = 2_500

const probe = async (config: Config) => {
  const place = placeOf(config)
  const where = hostAndPort(place.host, place.port)
  try {
    const { status } = await askService(config, place)
    return { says: `${where} answers with ${status}.`, isUp: status < 300 }
  } catch (error) {
    return { says: `${where} does not answer: ${causeOf(error)}.`, isUp: false }
  }
}

interface Place {
  readonly host: string
  readonly port: number
  readonly method: string
  readonly path: string
}

export const askService = async ({ TLS_CERT }: Config, place: Place) => {
  const request = TLS_CERT === undefined ? plain : secure
  const signal = AbortSignal.timeout(timeoutMs)
  // The certificate has the public name of the service, but this request goes to a local address.
  const outgoing = request({ ...place, signal, rejectUnauthorized: false, agent: false }).end()
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 500, body: await text(answer) }
}

/** Without a management listener, an OPTIONS * request to the API serves as the check (RFC 9110, 9.3.7). */
const placeOf = ({ HOST, PORT, MANAGEMENT_HOST, MANAGEMENT_PORT }: Config): Place =>
  MANAGEMENT_PORT === 'off'
    ? { host: HOST, port: PORT, method: 'OPTIONS', path: '*' }
    : { host: MANAGEMENT_HOST, port: MANAGEMENT_PORT, method: 'GET', path: '/health/live' }
