import { Command, Option } from 'commander'
import { jsonLine, print, table, visible } from './output.ts'
import { readSecret } from './secret-input.ts'
import { each, onService, type Service, withService } from './service.ts'

interface Member {
  readonly memberId: string
  readonly firstName: string
  readonly lastName: string
  readonly emailAddress?: string
  readonly credential?: { readonly signId: string }
}

interface Json {
  readonly json?: true
}

export const memberCommand = () =>
  new Command('member')
    .description('Add, list, show and remove members, and change their passwords.')
    .addCommand(add())
    .addCommand(list())
    .addCommand(show())
    .addCommand(passwd())
    .addCommand(remove())
    .addHelpText(
      'after',
      `
Passwords are asked for at the terminal, or read as one line of the standard input; never as an argument.

Examples:
  rollcall member add ${example}
  rollcall member list --name smith --json
  echo "$NEW" | rollcall member passwd 01a1fdc8-… --url https://roll.example.com --user admin`,
    )

/** The flags of `member add`, and the fields they fill. */
const fields = {
  firstName: '1 to 128 characters',
  lastName: '1 to 128 characters',
  genderCode: '0 (unknown), 1 (men) or 2 (women)',
  dateOfBirth: 'yyyy-MM-dd',
  emailAddress: 'an address',
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
  command.option('--sign-id <text>', 'the address in small letters if not said')
  return command.action(({ json, ...given }: Json & Readonly<Record<string, string>>) => {
    const addIt = async (service: Service) => {
      const password = await readSecret('Password of the new member')
      const profile = Object.fromEntries(Object.keys(fields).map((field) => [field, given[field] ?? null]))
      const body = { ...profile, credential: { signId: given.signId ?? null, password } }
      const member = await service.ask<Member>({ method: 'POST', path: '/members', body })
      await print(
        json
          ? jsonLine(member)
          : `Added ${member.memberId}, who signs in as ${visible(member.credential?.signId ?? '')}.`,
      )
    }
    return withService(command, addIt, 'adds')
  })
}

const list = () => {
  const command = showing(
    'list',
    'List members, in the order of their creation.',
    '--name smith --json',
  ).option('--name <text>', 'whose name holds this, whatever its case and width')
  return command.action(({ json, name }: Json & { name?: string }) => {
    const listThem = async (service: Service) => {
      const found: Member[] = []
      for await (const batch of each<Member>(service, '/members', name === undefined ? {} : { name })) {
        if (json) for (const member of batch) await print(jsonLine(member))
        else found.push(...batch)
      }
      if (!json) await print(table(['id', 'name', 'signs in as', 'e-mail'], found.map(row)))
    }
    return withService(command, listThem, 'looks')
  })
}

const show = () => {
  const command = showing('show', 'Show all of a member.', '01a1fdc8-…').argument('<member-id>')
  return command.action((memberId: string, { json }: Json) => {
    const showIt = async (service: Service) => {
      const member = await service.ask<Member>({ method: 'GET', path: pathOf(memberId) })
      const lines = JSON.stringify(member, undefined, json ? undefined : 2).split('\n')
      await print(lines.map(visible).join('\n'))
    }
    return withService(command, showIt, 'looks')
  })
}

const passwd = () => {
  const command = named(
    'passwd',
    "Change a member's password, and its sign id if one is said.",
    '01a1fdc8-… --sign-id john',
  )
    .argument('<member-id>')
    .option('--sign-id <text>', 'the new sign id')
    .option('--current', 'ask for the present password too, as a member who acts on itself must')
  return command.action((memberId: string, { signId, current }: { signId?: string; current?: true }) =>
    withService(command, async (service) => {
      const currentPassword = current ? await readSecret('Present password') : null
      const password = await readSecret('New password')
      const body = { signId: signId ?? null, password, currentPassword }
      const path = `${pathOf(memberId)}/credential`
      await service.ask<Member>({ method: 'PUT', path, body, isRefusedAgain: true })
      await print('The password is changed.')
    }),
  )
}

const remove = () => {
  const command = named('remove', 'Remove a member and its credential.', '01a1fdc8-…').argument('<member-id>')
  return command.action((memberId: string) =>
    withService(command, (service) => service.ask<void>({ method: 'DELETE', path: pathOf(memberId) })),
  )
}

/** A command that shows what it found or made. */
const showing = (name: string, description: string, example: string) =>
  named(name, description, example).option('--json', 'as JSON, one member a line')

const named = (name: string, description: string, example: string) =>
  onService(new Command(name).description(description)).addHelpText(
    'after',
    `\nExample:\n  rollcall member ${name} ${example}`,
  )

const flagOf = (field: string) => `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const pathOf = (memberId: string) => `/members/${encodeURIComponent(memberId)}`

const row = ({ memberId, firstName, lastName, credential, emailAddress }: Member) => [
  memberId,
  `${firstName} ${lastName}`,
  credential?.signId ?? '',
  emailAddress ?? '',
]
