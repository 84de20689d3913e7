import { Command, Option } from 'commander'
import type { MemberPatch, MemberRole, NewMember } from '#client/types.ts'
import { fold } from '#core/fold.ts'
import { CommandFailed, UsageError } from '#src/cli/exit.ts'
import { jsonLine, print, visible } from '#src/cli/output.ts'
import { readNewSecret, readSecret } from '#src/cli/secret-input.ts'
import { doing, flagOf, itemCommands, type Json, type Service, withService } from '#src/cli/service.ts'
import { memberList } from './member-list.ts'

const { named, showing } = itemCommands('member')

export const memberCommand = () =>
  new Command('member')
    .description('Add, list, show, change and remove members, and change their passwords and roles.')
    .addCommand(add())
    .addCommand(memberList())
    .addCommand(show())
    .addCommand(change())
    .addCommand(passwd())
    .addCommand(role())
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

type Role = MemberRole['role']

const roles: readonly Role[] = ['member', 'administrator', 'suspended']

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

type Texts = Readonly<Record<string, string>>

/** A command with a flag for each field. */
const withFields = (command: Command, isMandatory: (field: string) => boolean) => {
  for (const [field, form] of Object.entries(fields))
    command.addOption(new Option(`${flagOf(field)} <text>`, form).makeOptionMandatory(isMandatory(field)))
  return command
}

/** How a refusal names a field: its flag, and what the flag accepts. */
const flags: Texts = {
  ...Object.fromEntries(Object.entries(fields).map(([field, form]) => [field, `${flagOf(field)} (${form})`])),
  'credential.signId': '--sign-id',
}

const add = () => {
  const command = withFields(showing('add', 'Add a member.', example), (field) => required.has(field)).option(
    '--sign-id <text>',
    'what the member signs in with (default: the e-mail address in lower case)',
  )
  return doing(
    command,
    async ({ members, value }, { json, signId, ...given }: Json & SignIdOption & Texts) => {
      const password = await readNewSecret('Password of the new member')
      const profile = Object.fromEntries(Object.keys(fields).map((field) => [field, given[field] ?? null]))
      const body = { ...profile, credential: { signId: signId ?? null, password } } as unknown as NewMember
      const member = value(await members.create(body), flags)
      const words = `Added ${member.memberId}, who signs in as ${member.credential.signId}.`
      await print(json ? jsonLine(member) : visible(words))
    },
    'adds',
  )
}

const show = () =>
  doing(
    forOneMember(showing('show', 'Show a member in full.', '--sign-id john@example.com')),
    async (service, memberId: string | undefined, { json, signId }: Json & SignIdOption) => {
      const member = service.value(await service.members.get(await idOf(service, memberId, signId)))
      const lines = JSON.stringify(member, undefined, json ? undefined : 2).split('\n')
      await print(lines.map(visible).join('\n'))
    },
    'reads',
  )

const change = () => {
  const words = '01a1fdc8-… --email-address j@example.com'
  const command = forOneMember(
    withFields(showing('change', 'Change fields of a member.', words), () => false),
  )
  return command.action((memberId: string | undefined, given: Json & SignIdOption & Texts) => {
    const { json, signId, ...changed } = given
    const body = Object.fromEntries(Object.entries(changed).filter(([field]) => field in fields))
    if (Object.keys(body).length === 0)
      throw new UsageError('There is nothing to change: give a field, such as --address.')
    return withService(command, async (service) => {
      const id = await idOf(service, memberId, signId)
      const member = service.value(await service.members.patch(id, body as MemberPatch), flags)
      await print(json ? jsonLine(member) : `Changed ${visible(member.memberId)}.`)
    })
  })
}

const currentPasswordPrompt = 'Current password'
const newPasswordPrompt = 'New password'

/** How a refusal of a credential change names a field: its flag or its prompt. */
const credentialFlags = {
  signId: '--new-sign-id',
  password: newPasswordPrompt,
  currentPassword: `${currentPasswordPrompt} (--current)`,
}

interface NewLogin extends SignIdOption {
  readonly newSignId?: string
  readonly current?: true
}

const passwd = () => {
  const words = "Change a member's password, and optionally the sign id."
  const command = forOneMember(named('passwd', words, '01a1fdc8-… --new-sign-id john'))
    .option('--new-sign-id <text>', 'the new sign id')
    .option('--current', 'also ask for the current password, which members need to change their own')
  return doing(command, async (service, memberId: string | undefined, given: NewLogin) => {
    const { signId, newSignId = null, current } = given
    const id = await idOf(service, memberId, signId)
    const currentPassword = current ? await readSecret(currentPasswordPrompt) : null
    const body = { signId: newSignId, password: await readNewSecret(newPasswordPrompt), currentPassword }
    service.value(await service.members.changeCredential(id, body), credentialFlags)
    await print('Changed the password.')
  })
}

const role = () => {
  const words = 'Show the role of a member, or give one: it takes effect at once.'
  const command = forOneMember(named('role', words, '01a1fdc8-… --give suspended')).addOption(
    new Option('--give <role>', 'the new role').choices(roles),
  )
  return command.action((memberId: string | undefined, given: SignIdOption & { give?: Role }) =>
    withService(
      command,
      async (service) => {
        const id = await idOf(service, memberId, given.signId)
        const { members, value } = service
        const found = await (given.give ? members.changeRole(id, { role: given.give }) : members.getRole(id))
        await print(value(found).role)
      },
      given.give ? 'changes' : 'reads',
    ),
  )
}

const remove = () => {
  const command = forOneMember(named('remove', 'Remove a member and the credential.', '01a1fdc8-…')).option(
    '--erase',
    'also erase what is kept of the member: the values of its history, and kept answers',
  )
  return doing(command, async (service, memberId: string | undefined, given: Removal) => {
    const id = await idOf(service, memberId, given.signId)
    service.value(await (given.erase ? service.members.erase(id) : service.members.remove(id)))
  })
}

interface SignIdOption {
  readonly signId?: string
}

interface Removal extends SignIdOption {
  readonly erase?: true
}

/** A command about one member. */
const forOneMember = (command: Command) =>
  command
    .argument('[member-id]', 'the id, as `member list` shows it; with --url also `me`, the member who asks')
    .option('--sign-id <text>', 'instead of the id: what the member signs in with')

const idOf = async (
  { members, value }: Service,
  memberId: string | undefined,
  signId: string | undefined,
) => {
  if ((memberId === undefined) === (signId === undefined))
    throw new UsageError('Say which member: by its id, or by --sign-id.')
  if (signId === undefined) return memberId ?? ''
  const { content } = value(await members.page({ signId, size: 1 }), { signId: '--sign-id' })
  // Compared again, because an earlier version of the service does not know this filter.
  const found = content.find(({ credential }) => credential && fold(credential.signId) === fold(signId))
  if (found) return found.memberId
  throw new CommandFailed(`No member signs in as ${visible(signId)}.`)
}
