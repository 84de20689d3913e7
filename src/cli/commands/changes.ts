import { Command } from 'commander'
import type { Change, Changes } from '#client/types.ts'
import { exitCodes } from '#src/cli/exit.ts'
import { jsonLine, note, print, visible } from '#src/cli/output.ts'
import { apiAction, type JsonFlag, type Service, withServiceFlags } from '#src/cli/service.ts'

interface ChangeFlags extends JsonFlag {
  readonly after?: string | undefined
  readonly follow?: true | undefined
}

export const changesCommand = () => {
  const command = new Command('changes')
    .description('Show what was changed, when, by whom and in which request, oldest first.')
    .option(
      '--after <cursor>',
      'begin after this cursor; `latest`: with the next change (default: the oldest kept)',
    )
    .option('--follow', 'wait for further changes, until stopped')
    .option('--json', 'show JSON, one change per line, and lines with the cursor reached')
  withServiceFlags(command).addHelpText(
    'after',
    `
At the end, also after Ctrl-C, it prints the cursor to continue from on standard error. With --json, each group of changes
ends with a line {"cursor":"…"}, written together with them.

Examples:
  rollcall changes
  rollcall changes --follow --after latest --json --url https://roll.example.com --user admin`,
  )
  return apiAction(
    command,
    async (service, { after, follow, json }: ChangeFlags) => {
      let cursor: string | undefined
      const tellCursor = () => {
        if (cursor !== undefined) note(`To continue: --after ${cursor}`)
      }
      const stop = () => {
        tellCursor()
        process.exit(exitCodes.stopped)
      }
      if (follow) process.once('SIGINT', stop).once('SIGTERM', stop)
      try {
        for await (const { content, cursor: reached } of pages(service, { after, follow })) {
          const lines = content.map(json ? jsonLine : lineOf)
          if (json && reached !== cursor) lines.push(jsonLine({ cursor: reached }))
          if (lines.length > 0) await print(lines.join('\n'))
          cursor = reached
        }
      } finally {
        tellCursor()
      }
    },
    'reads',
  )
}

const pageSize = 100

/** How long the service waits for the next change: less than the timeout of any proxy. */
const waitSeconds = 20

async function* pages(service: Service, { after, follow }: ChangeFlags): AsyncGenerator<Changes> {
  let more = true
  for (let cursor = after; more || follow; ) {
    // With `latest`, the first answer comes at once and holds only the cursor.
    const wait = follow && cursor !== 'latest' ? waitSeconds : 0
    const query = { after: cursor, size: pageSize, wait }
    const page: Changes = service.value(await service.changes.list(query), { after: '--after' })
    yield page
    cursor = page.cursor
    more = page.more
  }
}

const lineOf = ({ sequence, time, type, subject, data }: Change) => {
  const { version, changed, by, track } = data
  const what = changed.length > 0 ? ` (${changed.join(', ')})` : ''
  return visible(
    `${sequence}  ${time}  ${type} ${subject} version ${version}${what} by ${by}  ${track}`.trimEnd(),
  )
}
