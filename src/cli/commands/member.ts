import { Command, Option } from 'commander'
import type { NewMember } from '#client/types.ts'
import { fold } from '#core/fold.ts'
import { CommandFailed, Refused, UsageError } from '#src/cli/exit.ts'
import { flagOf, itemCommands, type Json } from '#src/cli/items.ts'
import { jsonLine, print, visible } from '#src/cli/output.ts'
import { readSecret } from '#src/cli/secret-input.ts'
import { type Service, withService } from '#src/cli/service.ts'
import { memberList } from './member-list.ts'

interface Member {
  readonly memberId: string
  readonly firstName: string
  readonly lastName: string
  readonly emailAddress?: string
  readonly credential?: { readonly signId: string }
}

const { named, showing, pathOf: pathTo } = itemCommands('member')

const currentPasswordPrompt = 'Current password'
const newPasswordPrompt = 'New password'

interface SignIdOption {
  readonly signId?: string | undefined
}

interface NewLogin {
  readonly newSignId?: string
  readonly current?: true
}

export const memberCommand = () =>
  new Command('member')
    .description('Add, list, show, change and remove members, and change their passwords.')
    .addCommand(add())
    .addCommand(memberList())
    .addCommand(show())
    .addCommand(change())
    .addCommand(passwd())
    .addCommand(remove())
    .addHelpText(
      'after',
      `
Passwords are prompted for at the terminal, or read from standard input, one per line; they are never arguments.

Examples:
  rollcall member add ${example}
  rollcall member list --name smith --json
  echo "$NEW" | rollcall member passwd 01a1fdc8-… --url https://roll.example.com --user admin`,
    )

type Field = Exclude<keyof NewMember, 'memberId' | 'credential' | 'createdAt' | 'lastModifiedAt' | 'links'>

/** The fields that have a flag, and what each flag accepts. One that is left out does not compile. */
const fields: Readonly<Record<Field, string>> = {
  firstName: '1 to 128 characters',
  lastName: '1 to 128 characters',
  genderCode: '0 (unknown), 1 (men) or 2 (women)',
  dateOfBirth: 'yyyy-MM-dd',
  emailAddress: 'an e-mail address',
  telephoneNumber: 'up to 20 characters',
  zipCode: 'up to 20 characters',
  address: 'up to 256 characters',
}

const required = new Set(['firstName', 'lastName', 'genderCode', 'dateOfBirth', 'emailAddress'])

const example = `--first-name John --last-name Smith --gender-code 1 --date-of-birth 1983-01-17 \\
    --email-address john@example.com`

const add = () => {
  const command = showing('add', 'Add a member.', example)
  for (const [field, form] of Object.entries(fields)) {
    const option = new Option(`${flagOf(field)} <text>`, form)
    command.addOption(required.has(field) ? option.makeOptionMandatory() : option)
  }
  command.option(
    '--sign-id <text>',
    'what the member signs in with (default: the e-mail address in lower case)',
  )
  return command.action(({ json, ...given }: Json & Readonly<Record<string, string>>) => {
    const addMember = async (service: Service) => {
      const password = await readSecret('Password of the new member')
      const profile = Object.fromEntries(Object.keys(fields).map((field) => [field, given[field] ?? null]))
      const body = { ...profile, credential: { signId: given.signId ?? null, password } }
      const member = await service.ask<Member>({ method: 'POST', path: '/members', body }, flags)
      await print(
        json
          ? jsonLine(member)
          : visible(`Added ${member.memberId}, who signs in as ${member.credential?.signId ?? ''}.`),
      )
    }
    return withService(command, addMember, 'adds')
  })
}

const show = () => {
  const command = forOneMember(showing('show', 'Show a member in full.', '--sign-id john@example.com'))
  return command.action((memberId: string | undefined, { json, signId }: Json & SignIdOption) => {
    const showMember = async (service: Service) => {
      const path = await pathOf(service, { memberId, signId })
      const member = await service.ask<Member>({ method: 'GET', path })
      const lines = JSON.stringify(member, undefined, json ? undefined : 2).split('\n')
      await print(lines.map(visible).join('\n'))
    }
    return withService(command, showMember, 'reads')
  })
}

const change = () => {
  const command = forOneMember(
    showing('change', 'Change fields of a member.', '01a1fdc8-… --email-address j@example.com'),
  )
  for (const [field, form] of Object.entries(fields)) command.option(`${flagOf(field)} <text>`, form)
  type Given = Json & SignIdOption & Readonly<Record<string, string>>
  return command.action((memberId: string | undefined, { json, signId, ...given }: Given) => {
    const body = Object.fromEntries(Object.entries(given).filter(([field]) => field in fields))
    if (Object.keys(body).length === 0)
      throw new UsageError('There is nothing to change: give a field, such as --address.')
    return withService(command, async (service) => {
      const path = await pathOf(service, { memberId, signId })
      const member = await service.ask<Member>({ method: 'PATCH', path, body }, flags)
      await print(json ? jsonLine(member) : `Changed ${visible(member.memberId)}.`)
    })
  })
}

const passwd = () => {
  const command = forOneMember(
    named(
      'passwd',
      "Change a member's password, and optionally the sign id.",
      '01a1fdc8-… --new-sign-id john',
    ),
  )
    .option('--new-sign-id <text>', 'the new sign id')
    .option('--current', 'also ask for the current password, which members need to change their own')
  return command.action(
    (memberId: string | undefined, { signId, newSignId, current }: SignIdOption & NewLogin) =>
      withService(command, async (service) => {
        const path = await pathOf(service, { memberId, signId })
        const currentPassword = current ? await readSecret(currentPasswordPrompt) : null
        const password = await readSecret(newPasswordPrompt)
        const body = { signId: newSignId ?? null, password, currentPassword }
        const request = { method: 'PUT', path: `${path}/credential`, body, isDoneAgain: true } as const
        await service.ask<Member>(request, credentialFlags)
        await print('Changed the password.')
      }),
  )
}

const remove = () => {
  const command = forOneMember(named('remove', 'Remove a member and the credential.', '01a1fdc8-…')).option(
    '--erase',
    'also erase what is kept of the member: the values of its history, and kept answers',
  )
  return command.action((memberId: string | undefined, { signId, erase }: SignIdOption & { erase?: true }) =>
    withService(command, async (service) => {
      const path = await pathOf(service, { memberId, signId })
      await service.ask<void>({ method: 'DELETE', path: erase ? `${path}?erase=true` : path })
    }),
  )
}

/** How a refusal names a field: its flag, and what the flag accepts. */
const flags: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(fields).map(([field, form]) => [field, `${flagOf(field)} (${form})`])),
  'credential.signId': '--sign-id',
}

/** How a refusal of a credential change names a field: its flag or its prompt. */
const credentialFlags = {
  signId: '--new-sign-id',
  password: newPasswordPrompt,
  currentPassword: `${currentPasswordPrompt} (--current)`,
}

/** A command about one member. */
const forOneMember = (command: Command) =>
  command
    .argument('[member-id]', 'the id, as `member list` shows it; with --url also `me`, the member who asks')
    .option('--sign-id <text>', 'instead of the id: what the member signs in with')

const pathOf = async (
  service: Service,
  { memberId, signId }: SignIdOption & { memberId: string | undefined },
) => {
  if ((memberId === undefined) === (signId === undefined))
    throw new UsageError('Say which member: by its id, or by --sign-id.')
  return pathTo(memberId ?? (await idOf(service, signId ?? '')))
}

/** The results are compared again, because an earlier version of the service does not know this filter. */
const idOf = async (service: Service, signId: string) => {
  const request = { method: 'GET', path: `/members?${new URLSearchParams({ signId, size: '1' })}` } as const
  const { content } = await service
    .ask<{ readonly content: readonly Member[] }>(request, { signId: '--sign-id' })
    .catch(async (error) => ({ content: [await ownMemberInstead(service, signId, error)] }))
  const found = content.find((member) => signsInAs(member, signId))
  if (found) return found.memberId
  throw new CommandFailed(`No member signs in as ${visible(signId)}.`)
}

/** A member who sees only the names of others may not search by sign id, but may give its own. */
const ownMemberInstead = async (service: Service, signId: string, error: unknown) => {
  if (!isRefusedFor(error, 'Unknown')) throw error
  const own = await service.ask<Member>({ method: 'GET', path: '/members/me' }).catch((reason) => {
    if (isRefusedFor(reason, 'e.xx.yy.5001')) return undefined
    throw reason
  })
  if (!own) throw error
  if (signsInAs(own, signId)) return own
  throw new CommandFailed(
    'This sign-in may look up no sign id except its own: give the id of the member instead.',
  )
}

const isRefusedFor = (error: unknown, code: string) => error instanceof Refused && error.codes.includes(code)

const signsInAs = ({ credential }: Member, signId: string) =>
  credential !== undefined && fold(credential.signId) === fold(signId)
