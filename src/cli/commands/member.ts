import { type Command, Option } from 'commander'
import type { MemberFilter, MemberRole } from '#client/types.ts'
import { fold } from '#core/fold.ts'
import { defaultShapes } from '#resources/member/schema.ts'
import { CommandFailed, UsageError } from '#src/cli/exit.ts'
import { escapeControls, print } from '#src/cli/output.ts'
import { type ResourceSpec, type ResourceTools, resourceCommand } from '#src/cli/records.ts'
import { isDatabaseChosen } from '#src/cli/remote.ts'
import { readNewSecret, readSecret } from '#src/cli/secret-input.ts'
import { apiAction, type Service, withService } from '#src/cli/service.ts'

export const memberCommand = (added: Pick<ResourceSpec, 'fields' | 'filters'>) =>
  resourceCommand(
    {
      name: 'member',
      plural: 'members',
      fields: { ...defaultShapes.fields, ...added.fields },
      overrides,
      flagLabels: { 'credential.signId': '--sign-id' },
      filters: {
        ...Object.fromEntries(Object.entries(filters).map(([name, description]) => [name, { description }])),
        ...added.filters,
      },
      columns: ['id', 'name', 'signs in as', 'e-mail'],
      row: ({ memberId, firstName, lastName, credential, emailAddress }) => [
        String(memberId),
        `${firstName} ${lastName}`,
        signIdOf(credential),
        String(emailAddress ?? ''),
      ],
      sentence: ({ memberId, credential }, done) =>
        escapeControls(
          done === 'Added'
            ? `Added ${memberId}, who signs in as ${signIdOf(credential)}.`
            : `Changed ${memberId}.`,
        ),
      selector: { argument: addMemberId, idOf: (service, id, { signId }) => findId(service, id, signId) },
      extraInput: {
        option: new Option(
          '--sign-id <text>',
          'what the member signs in with (default: the e-mail address in lower case)',
        ),
        body: async ({ signId = null }) => {
          const password = await readNewSecret('Password of the new member')
          return { credential: { signId, password } }
        },
      },
      examples: {
        add: addExample,
        list: '--name smith --json',
        show: '--sign-id john@example.com',
        change: '01a1fdc8-… --email-address j@example.com',
        passwd: '01a1fdc8-… --new-sign-id john',
        role: '01a1fdc8-… --give suspended',
      },
    },
    (tools) => [passwdCommand(tools), inviteCommand(tools), roleCommand(tools), removeCommand(tools)],
  )
    .description('Add, list, show, change, remove and restore members, and change their passwords and roles.')
    .addHelpText(
      'after',
      `  echo "$NEW" | rollcall member passwd 01a1fdc8-… --url https://roll.example.com --user admin

Passwords are prompted for at the terminal, or read from standard input, one per line; they are never arguments.`,
    )

/** The meanings of the codes, which nobody could guess. */
const overrides = { genderCode: { form: '0 (unknown), 1 (men) or 2 (women)' } }

/** The help of each filter. The compiler finds one that is missing. */
const filters: Readonly<Record<keyof MemberFilter, string>> = {
  name: 'whose name contains this text, ignoring case, width and accents',
  q: 'whose name contains this text, or whose e-mail address, sign id or telephone number begins with it',
  emailAddress: 'with this e-mail address; "john*" finds those that begin with john',
  signId: 'with this sign id; "john*" finds those that begin with john',
  telephoneNumber: 'with this telephone number; "090*" finds those that begin with 090',
  genderCode: '0 (unknown), 1 (men) or 2 (women)',
  role: 'with this role: administrator or suspended',
  withoutPassword: 'true: those who have no password yet',
  bornFrom: 'born on this day or later (yyyy-MM-dd)',
  bornTo: 'born before this day',
  birthdayFrom: 'whose birthday is on this day of the year (MM-dd) or later',
  birthdayTo:
    'whose birthday is before this day; "--birthday-from 12-28 --birthday-to 01-04" spans the New Year',
  createdFrom: 'created on this day, or at this time, or later',
  createdTo: 'created before this day or time',
  modifiedFrom: 'last modified on this day, or at this time, or later',
  modifiedTo: 'last modified before this day or time',
}

const addExample = `--first-name John --last-name Smith --gender-code 1 --date-of-birth 1983-01-17 \\
    --email-address john@example.com`

const signIdOf = (credential: unknown) => String(Object(credential).signId ?? '')

const roles: readonly MemberRole['role'][] = ['member', 'administrator', 'suspended']

const currentPasswordPrompt = 'Current password'
const newPasswordPrompt = 'New password'

/** The flag or prompt of each field of a credential, for refusals. */
const credentialFlags = {
  signId: '--new-sign-id',
  password: newPasswordPrompt,
  currentPassword: `${currentPasswordPrompt} (--current)`,
}

interface MemberFlags {
  readonly signId?: string
  readonly newSignId?: string
  readonly current?: true
  readonly give?: MemberRole['role']
  readonly erase?: true
}

const passwdCommand = ({ plainCommand }: ResourceTools) => {
  const description = "Change a member's password, and optionally the sign id."
  const command = addMemberId(plainCommand('passwd', description))
    .option('--new-sign-id <text>', 'the new sign id')
    .option('--current', 'also ask for the current password, which members need to change their own')
  return apiAction(command, async (service, memberId: string | undefined, flags: MemberFlags) => {
    const { signId, newSignId = null, current } = flags
    const id = await findId(service, memberId, signId)
    const currentPassword = current ? await readSecret(currentPasswordPrompt) : null
    const body = { signId: newSignId, password: await readNewSecret(newPasswordPrompt), currentPassword }
    service.value(await service.members.changeCredential(id, body), credentialFlags)
    await print('Changed the password.')
  })
}

const inviteCommand = ({ plainCommand }: ResourceTools) => {
  const description = 'Print a link with which a member chooses a password. It works once, within seven days.'
  const command = addMemberId(plainCommand('invite', description))
  return command.action((memberId: string | undefined, { signId }: MemberFlags) => {
    if (command.opts().url === undefined || isDatabaseChosen(command))
      throw new UsageError('Give the address of the service with --url: the link leads to its console.')
    return withService(command, async (service) => {
      const { members, value } = service
      await print(value(await members.invite(await findId(service, memberId, signId))).url)
    })
  })
}

const roleCommand = ({ plainCommand }: ResourceTools) => {
  const description = 'Show the role of a member, or give one: it takes effect at once.'
  const option = new Option('--give <role>', 'the new role').choices(roles)
  const command = addMemberId(plainCommand('role', description)).addOption(option)
  return command.action((memberId: string | undefined, { signId, give }: MemberFlags) =>
    withService(
      command,
      async (service) => {
        const { members, value } = service
        const id = await findId(service, memberId, signId)
        await print(value(await (give ? members.changeRole(id, { role: give }) : members.getRole(id))).role)
      },
      give ? 'mustExist' : 'readOnly',
    ),
  )
}

const removeCommand = ({ plainCommand }: ResourceTools) => {
  const eraseHelp = 'also erase all stored values of the member: in its history, and in kept answers'
  const command = addMemberId(plainCommand('remove', 'Remove a member and the credential.'))
  return apiAction(
    command.option('--erase', eraseHelp),
    async (service, memberId: string | undefined, flags: MemberFlags) => {
      const { members, value } = service
      const id = await findId(service, memberId, flags.signId)
      value(await (flags.erase ? members.erase(id) : members.remove(id)))
    },
  )
}

const addMemberId = (command: Command) =>
  command
    .argument('[member-id]', 'the id, as `member list` shows it; with --url also `me`, the member who asks')
    .option('--sign-id <text>', 'instead of the id: what the member signs in with')

const findId = async ({ members, value }: Service, memberId?: string, signId?: string) => {
  if ((memberId === undefined) === (signId === undefined))
    throw new UsageError('Name the member, by its id or with --sign-id.')
  if (signId === undefined) return memberId ?? ''
  const { content } = value(await members.page({ signId, size: 1 }), { signId: '--sign-id' })
  // Compares the sign ids here too, because earlier versions of the service ignore this filter.
  const found = content.find(({ credential }) => credential && fold(credential.signId) === fold(signId))
  if (found) return found.memberId
  throw new CommandFailed(`No member signs in as ${escapeControls(signId)}.`)
}
