import type { Extension } from '#resources/declaration.ts'
import { labelsOf } from '#resources/machine/labels.ts'
import { applyExtensions } from '#resources/machine/validity.ts'
import type { Resource } from '#resources/resource.ts'
import { memberDeclaration } from './declaration.ts'
import { memberDocument } from './document.ts'
import { memberFilters } from './filter.ts'
import { memberImportTarget } from './import-target.ts'
import { invitationFinder, invitations } from './invitation.ts'
import { memberCodes, memberErrors } from './messages.ts'
import { fileSchemaOf, memberRecords } from './records.ts'
import { memberRoutes } from './routes.ts'
import { credentialTable, fillWordIndex, memberRows, rebuildSearchColumns } from './rows.ts'
import { defaultShapes, memberSchemas } from './schema.ts'
import { memberService } from './service.ts'
import { memberSignIn } from './sign-in.ts'
import { memberStore } from './store.ts'
import { verifyMembers } from './verify.ts'

export const memberWith = (extensions: readonly Extension[]): Resource => {
  const { declaration, extension } = applyExtensions(memberDeclaration, extensions, reservedNames)
  const shapes = memberSchemas(extension.fields)
  const rows = memberRows(shapes)
  const rebuildSearch = rebuildSearchColumns(rows)
  return {
    name: 'member',
    plural: 'members',
    migrations: new URL('./migrations/', import.meta.url),
    declared: rows.declared,
    hasFileImport: true,
    migrationCode: {
      '003-search-without-marks': rebuildSearch,
      '005-finding': rebuildSearch,
      '008-searchable-text': rebuildSearch,
      '011-words': fillWordIndex(rows),
    },
    errorCodes: memberCodes,
    errors: memberErrors,
    ...(extensions.length > 0 && { extension }),
    document: memberDocument(shapes, declaration),
    labels: labelsOf(declaration),
    fileSchema: fileSchemaOf(shapes),
    headings: memberDeclaration.headings,
    changeTypes: [
      'member.created',
      'member.updated',
      'member.credentialChanged',
      'member.roleChanged',
      'member.deleted',
    ],
    records: memberRecords(rows),
    verify: (db) => verifyMembers(db, rows),
    open: ({ db, timeZone, makeLogEntry, references, ...context }) => {
      const store = memberStore(db, makeLogEntry, references, rows)
      const members = memberService({ ...context, store, shapes })
      const invitationContext = { ...context, store }
      return {
        routes: (http) =>
          memberRoutes(http, members, {
            shapes,
            rows,
            timeZone,
            invitations: invitations(members, invitationContext),
          }),
        passwordSignIn: memberSignIn(db, context.passwords),
        findInvitation: invitationFinder(invitationContext),
        importTarget: memberImportTarget(db, members, { ...context, rows, shapes }),
      }
    },
  }
}

/** The fields and filters that every member has. */
const reservedNames = [
  ...Object.keys(defaultShapes.fields),
  ...['credential', ...credentialTable.columns.map(({ field }) => field), 'password', 'currentPassword'],
  ...Object.keys(memberFilters('UTC')),
]

export const member = memberWith([])
