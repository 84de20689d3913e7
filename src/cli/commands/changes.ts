import { Command } from 'commander'
import type { Change, Changes } from '#client/types.ts'
import { jsonLine, note, print, visible } from '#src/cli/output.ts'
import { doing, type Json, onService, type Service } from '#src/cli/service.ts'

interface Asked extends Json {
  readonly after?: string | undefined
  readonly follow?: true | undefined
}

export const changesCommand = () => {
  const command = new Command('changes')
    .description('Show what was changed, when, by whom and in which request, oldest first.')
    .option(
      '--after <cursor>',
      'begin after this cursor; `latest`: with what comes (default: the oldest kept)',
    )
    .option('--follow', 'go on with what comes, until stopped')
    .option('--json', 'show JSON, one change per line')
  onService(command).addHelpText(
    'after',
    `
At the end it says the cursor after which to go on.

Examples:
  rollcall changes
  rollcall changes --follow --after latest --json --url https://roll.example.com --user admin`,
  )
  return doing(
    command,
    async (service, { after, follow, json }: Asked) => {
      const line = json ? jsonLine : readable
      let cursor = after
      for await (const { content, cursor: reached } of pages(service, { after, follow })) {
        if (content.length > 0) await print(content.map(line).join('\n'))
        cursor = reached
      }
      note(`To go on: --after ${cursor}`)
    },
    'reads',
  )
}

const pageSize = 100

/** How long the service waits for the next change: less than any proxy does. */
const waitSeconds = 20

async function* pages(service: Service, { after, follow }: Asked): AsyncGenerator<Changes> {
  let more = true
  for (let cursor = after; more || follow; ) {
    const query = { after: cursor, size: pageSize, wait: follow ? waitSeconds : 0 }
    const page: Changes = service.value(await service.changes.list(query), { after: '--after' })
    yield page
    cursor = page.cursor
    more = page.more
  }
}

const readable = ({ sequence, time, type, subject, data }: Change) => {
  const { version, changed, by, track } = data
  const what = changed.length > 0 ? ` (${changed.join(', ')})` : ''
  return visible(
    `${sequence}  ${time}  ${type} ${subject} version ${version}${what} by ${by}  ${track}`.trimEnd(),
  )
}
