import { Agent, request as ask, createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Exchanged, field, recordSuite } from './exchanges.ts'
import type { Finding } from './lints.ts'
import { type Violation, withPrism } from './prism.ts'
import { scratch } from './tools.ts'

/** Prism stands before every exchange of the suite: it asks again what was asked, and is told what was told. */
export const suite = async (): Promise<readonly Finding[]> => {
  const { exchanges, files, tests, failed } = await recordSuite(scratch())
  const shown = exchanges.filter(isShown)
  console.log(
    `suite: ${tests} tests, ${failed.length} failed, ${exchanges.length} exchanges in ${files} files`,
  )
  const findings = await judged(shown)
  console.log(
    `suite: ${shown.length} exchanges shown to Prism, ${exchanges.length - shown.length} HEAD or OPTIONS`,
  )
  return [...findings, ...failed.map((where) => ({ rule: 'test', where, message: 'failed' }))]
}

/** A document of OpenAPI names neither HEAD nor OPTIONS where it means GET, so Prism knows none. */
const isShown = ({ method }: Exchanged) => method !== 'HEAD' && method !== 'OPTIONS'

const judged = async (exchanges: readonly Exchanged[]): Promise<readonly Finding[]> => {
  const service = retelling(exchanges)
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const { port } = service.address() as AddressInfo
  try {
    return await withPrism(`http://127.0.0.1:${port}`, (base) => showAll(base, exchanges))
  } finally {
    service.close()
    service.closeAllConnections()
  }
}

const mark = 'x-exchange'

/** Tells again what the service told. */
const retelling = (exchanges: readonly Exchanged[]) =>
  createServer((incoming, outgoing) => {
    const exchange = exchanges[Number(incoming.headers[mark] ?? Number.NaN)]
    incoming.resume()
    if (!exchange) return void outgoing.writeHead(200).end()
    const { status, told, answer } = exchange
    outgoing.writeHead(status, without(told, ofTheWire)).end(answer)
  })

const ofTheWire = /^(content-(length|encoding)|transfer-encoding|connection|keep-alive|date)$/i
const ofTheConnection =
  /^(content-(length|encoding)|transfer-encoding|connection|keep-alive|host|expect|te|upgrade|trailer|accept-encoding|x-exchange)$/i

const without = (fields: readonly string[], names: RegExp): string[] => {
  const kept: string[] = []
  for (let at = 0; at < fields.length; at += 2)
    if (!names.test(fields[at] ?? '')) kept.push(fields[at] ?? '', fields[at + 1] ?? '')
  return kept
}

const together = 8

const showAll = async (base: string, exchanges: readonly Exchanged[]): Promise<readonly Finding[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: together })
  const findings: Finding[] = []
  const queue = exchanges.entries()
  const work = async () => {
    for (const [place, exchange] of queue)
      findings.push(...(await complaints(await show(base, agent, { place, exchange }), exchange)))
  }
  try {
    await Promise.all(Array.from({ length: together }, work))
    return findings
  } finally {
    agent.destroy()
  }
}

interface Shown {
  readonly place: number
  readonly exchange: Exchanged
}

interface Verdict {
  readonly violations: readonly Violation[]
  /** Prism itself could not read the request: it asked nobody. */
  readonly unread: string | undefined
}

const longestVerdictMs = 5_000

/** Of what was refused, and of what Prism cannot bear, only the answer is judged. */
const show = async (base: string, agent: Agent, shown: Shown): Promise<Verdict> => {
  if (shown.exchange.status >= 400) return shownAs(base, agent, { ...shown, isTaken: false })
  const whole = await shownAs(base, agent, { ...shown, isTaken: true })
  return whole.unread === undefined ? whole : shownAs(base, agent, { ...shown, isTaken: false })
}

const shownAs = (
  base: string,
  agent: Agent,
  { place, exchange, isTaken }: Shown & { readonly isTaken: boolean },
): Promise<Verdict> => {
  const { method, path, asked, sent = nothing } = exchange
  const bytes = isTaken && method !== 'GET' ? sent : nothing
  const marks = [mark, String(place), 'host', '127.0.0.1', 'content-length', String(bytes.length)]
  const headers = isTaken ? [...without(asked, ofTheConnection), ...marks] : marks
  const options = { path: isTaken ? path : readable(path), method, headers, agent }
  return new Promise((resolve) => {
    const refused = ({ message }: Error) => resolve({ violations: [], unread: message })
    const request = ask(base, options, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.on('error', refused)
      answer.on('end', () => resolve(verdict(answer.headers, text)))
    })
    request.on('error', refused)
    request.setTimeout(longestVerdictMs, () => request.destroy(new Error('no verdict')))
    request.end(bytes)
  })
}

const nothing = Buffer.alloc(0)

/** The path alone. Prism decodes it and walks its dots, as the service does not, and takes nothing for an id. */
const readable = (path: string) => {
  const [bare = ''] = path.split('?', 1)
  return (bare.endsWith('/') ? `${bare}-/-` : bare).replaceAll(/%|\.(?=\.?(?:\/|$))/g, '_')
}

const verdict = (headers: IncomingHttpHeaders, text: string): Verdict => {
  const told = headers['sl-violations']
  const own = text.includes('stoplight.io/prism/errors') ? text : undefined
  return {
    violations: told === undefined ? [] : (JSON.parse(String(told)) as readonly Violation[]),
    unread: own,
  }
}

/** What answers say must always fit. What was asked must fit where the service took it: else the document says too little. */
const complaints = ({ violations, unread }: Verdict, exchange: Exchanged): readonly Finding[] => {
  const { file, method, path, status } = exchange
  const where = `${file} ${method} ${path.slice(0, 100)} ${status}`
  if (unread !== undefined) return [{ rule: 'unread', where, message: unread }]
  return violations
    .filter((violation) => counts(violation, exchange))
    .map(({ location, code, message }) => ({
      rule: `${location[0]} ${code ?? ''} ${/; found '(.*)'$/.exec(message)?.[1] ?? ''}`.trim(),
      where: `${where} ${location.join('.')}`,
      message,
    }))
}

/** Prism reads neither XML nor problem details, and asks for a body that was not wanted: the suite itself sees to those. */
const counts = (violation: Violation, exchange: Exchanged): boolean => {
  const [side, part] = violation.location
  const { status, asked, told } = exchange
  const isOfRequest = side === 'request'
  if (isOfRequest && (status >= 400 || isOurLenience(violation, exchange))) return false
  if (!isOfRequest && part !== 'header' && field(told, 'preference-applied')) return false
  const type = field(isOfRequest ? asked : told, 'content-type') ?? ''
  return part !== 'body' || !/xml|problem/i.test(type)
}

/**
 * What we take and the document does not promise: the plus of an offset that nobody encoded, a size that is cut however large it
 * is, a credential of which a patch changes nothing, and a body that nobody asked for.
 */
const isOurLenience = ({ location, code }: Violation, exchange: Exchanged) => {
  const place = location.join('.')
  const { method, path } = exchange
  return (
    (String(code) === '415' && takesNoBody(exchange)) ||
    (/\.created(?:from|to)$/.test(place) && /created(?:From|To)=[^&]*\+\d\d:?\d\d/.test(path)) ||
    (place === 'request.query.size' && /[?&]size=\d{16,}(?:&|$)/.test(path)) ||
    (place.startsWith('request.body.credential') && method === 'PATCH')
  )
}

/** To finish a todo takes no body, nor does a delete. */
const takesNoBody = ({ method, path }: Exchanged) =>
  method === 'DELETE' || (method === 'PUT' && path.startsWith('/todos/'))
