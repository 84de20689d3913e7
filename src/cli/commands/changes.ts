import { Command } from 'commander'
import type { Change, Changes } from '#client/types.ts'
import { exitCodes } from '#src/cli/exit.ts'
import { escapeControls, jsonLine, print, printNote } from '#src/cli/output.ts'
import { addServiceFlags, apiAction, type JsonFlag, type Service } from '#src/cli/service.ts'

interface ChangeFlags extends JsonFlag {
  readonly after?: string | undefined
  readonly follow?: true | undefined
}

export const changesCommand = () => {
  const command = new Command('changes')
    .description('Show what was changed, when, by whom and in which request, oldest first.')
    .option(
      '--after <cursor>',
      'begin after this cursor, or with the next change if it is `latest` (default: begin with the oldest kept)',
    )
    .option('--follow', 'wait for further changes, until stopped')
    .option('--json', 'show JSON, one change per line, and lines with the cursor reached')
  addServiceFlags(command).addHelpText(
    'after',
    `
At the end, also after Ctrl-C, it prints the cursor to continue from on standard error. With --json, a line {"cursor":"…"}
follows each group of changes, printed together with it.

Examples:
  rollcall changes
  rollcall changes --follow --after latest --json --url https://roll.example.com --user admin`,
  )
  return apiAction(
    command,
    async (service, { after, follow, json }: ChangeFlags) => {
      let cursor: string | undefined
      const printCursor = () => {
        if (cursor !== undefined) printNote(`To continue: --after ${cursor}`)
      }
      const stop = () => {
        printCursor()
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
        printCursor()
      }
    },
    'readOnly',
  )
}

const pageSize = 100

/** The longest wait for the next change. Proxies have longer timeouts. */
const waitSeconds = 20

async function* pages(service: Service, { after, follow }: ChangeFlags): AsyncGenerator<Changes> {
  let hasMore = true
  for (let cursor = after; hasMore || follow; ) {
    // With `latest`, the first answer holds only the cursor, so the service is not asked to wait for a change.
    const wait = follow && cursor !== 'latest' ? waitSeconds : 0
    const query = { after: cursor, size: pageSize, wait }
    const page: Changes = service.value(await service.changes.list(query), { after: '--after' })
    yield page
    cursor = page.cursor
    hasMore = page.more
  }
}

const lineOf = ({ sequence, time, type, subject, data }: Change) => {
  const { version, changed, by, track } = data
  const fields = changed.length > 0 ? ` (${changed.join(', ')})` : ''
  return escapeControls(
    `${sequence}  ${time}  ${type} ${subject} version ${version}${fields} by ${by}  ${track}`.trimEnd(),
  )
}
