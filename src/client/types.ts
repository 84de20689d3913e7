// The resources of every service. Their fields are those of their declarations.
import type { CreationJson, RequestJson, ResponseJson } from '#core/json-types.ts'
import type { JsonOf } from '#core/schema.ts'
import type * as me from '#resources/caller.ts'
import type * as imports from '#resources/import/schema.ts'
import type * as key from '#resources/key/declaration.ts'
import type * as member from '#resources/member/schema.ts'
import type * as view from '#resources/saved-view.ts'
import type * as todo from '#resources/todo/declaration.ts'
import type * as webhook from '#resources/webhook/declaration.ts'
import type { FilterOf } from './declared.ts'
import type { Linked } from './messages.ts'
import type { FieldOf, Kind, PageOf } from './records.ts'

export type * from './messages.ts'

/** Each limit is a time such as `2026-11-21T06:45:00.123Z`, or a date, which stands for its beginning in the service's time zone. */
export interface CreatedFilter {
  /** Created at this time or later. */
  readonly createdFrom?: string | undefined
  /** Created before this time. */
  readonly createdTo?: string | undefined
}

export interface ModifiedFilter {
  /** Last modified at this time or later. */
  readonly modifiedFrom?: string | undefined
  /** Last modified before this time. */
  readonly modifiedTo?: string | undefined
}

type TodoFields = (typeof todo.todoDeclaration)['fields']
/** A titled task, either open or finished. */
export interface Todo extends Required<JsonOf<typeof todo.TodoChange>>, Linked {}
/** A todo to create. It starts open. */
export interface NewTodo extends CreationJson<TodoFields>, Partial<Omit<Todo, keyof TodoFields>> {}
/** A change to a todo as a merge patch (RFC 7396). An omitted field keeps its value. */
export interface TodoPatch extends Partial<Todo> {}
export type TodoPage = PageOf<Todo>
export type TodoSort = FieldOf<Todo>
export interface TodoFilter extends Omit<FilterOf<TodoFields>, 'todoTitle'>, CreatedFilter {
  /** Todos whose title contains this text. Case, width and accents are ignored. */
  readonly title?: string | undefined
}
export interface TodoKind extends Kind {
  readonly id: 'todoId'
  readonly item: Todo
  readonly changed: Todo
  readonly created: NewTodo
  readonly updated: Todo
  readonly filter: TodoFilter
  readonly sort: TodoSort
}

/** A person with a credential, in full. */
export interface Member extends Omit<JsonOf<typeof member.Member>, 'credential'>, Linked {
  readonly credential: Credential
}
/** The sign id of a member, without the password. */
export interface Credential extends JsonOf<typeof member.Credential>, Linked {}
type ReducedJson = JsonOf<typeof member.memberViews.reduced>
/** Only the id and the name of a person. */
export interface ReducedMember
  extends ReducedJson,
    Absent<Exclude<keyof Member, keyof ReducedJson>>,
    Linked {}
/** A person without the credential. */
export interface DetailedMember
  extends JsonOf<typeof member.memberViews.detailed>,
    Absent<'credential'>,
    Linked {}
type Absent<Field extends string> = { readonly [F in Exclude<Field, 'links'>]?: never }
/** The item in the requested view. */
export type MemberView = Member | ReducedMember | DetailedMember
/** A member as the caller may see it: in full, or only id and name. A member who has signed in sees only id and name of others. */
export type SeenMember = Member | ReducedMember
/** A member to create. */
export interface NewMember extends Omit<JsonOf<typeof member.NewMember>, 'credential'>, Linked {
  readonly credential: NewCredential
}
/** The credential of a member to create. */
export interface NewCredential extends Omit<CredentialUpdate, 'currentPassword'> {}
/** All fields of a member. An omitted optional field becomes null. */
export interface MemberUpdate extends JsonOf<typeof member.MemberUpdate>, Linked {}
/** A change to a member as a merge patch (RFC 7396). An omitted field keeps its value; null clears it. */
export interface MemberPatch extends Partial<MemberUpdate> {}
/** A new credential. A member who changes the own credential must also send the current password. */
export interface CredentialUpdate extends JsonOf<typeof member.NewCredential>, Linked {}
/** A change of a credential: an omitted or null field keeps its value. A member who changes the own credential must send the current password. */
export interface CredentialPatch extends JsonOf<typeof member.CredentialChange>, Linked {}
/** A link by which a member chooses a password. */
export interface Invitation extends JsonOf<typeof member.Invitation>, Linked {}
/** A member that was not invited, with the reason. */
export interface Uninvited extends JsonOf<typeof member.Uninvited>, Linked {}
/** The members to invite. */
export interface NewInvitations extends JsonOf<typeof member.NewInvitations>, Linked {}
/** A member that was invited. */
export interface Invited extends JsonOf<typeof member.Invited>, Linked {}
/** The new password of an invited member. */
export interface InvitedUpdate extends JsonOf<typeof member.NewPassword>, Linked {}
/** The links of some members, and those that were not invited. */
export interface Invitations extends JsonOf<typeof member.Invitations>, Linked {}
/** The role of a member. */
export interface MemberRole extends JsonOf<typeof member.MemberRole>, Linked {}
/** A role to give. */
export interface MemberRoleUpdate extends JsonOf<typeof member.NewRole>, Linked {}
export type MemberPage = PageOf<MemberView>
export type MemberSort = Exclude<FieldOf<Member>, 'credential'>
/** Texts are compared without case and character width. A text that ends with `*` finds members whose field begins with it. */
export interface MemberFilter extends CreatedFilter, ModifiedFilter {
  /** Members whose name contains this text, with the first or the last name first. */
  readonly name?: string | undefined
  /** Members whose name contains this text, or whose e-mail address, sign id or telephone number begins with it. */
  readonly q?: string | undefined
  readonly emailAddress?: string | undefined
  readonly signId?: string | undefined
  readonly telephoneNumber?: string | undefined
  readonly genderCode?: Member['genderCode'] | undefined
  /** Members with this role. All others have the role `member`. */
  readonly role?: Exclude<MemberRole['role'], 'member'> | undefined
  /** Members who have no password, and so cannot sign in. */
  readonly withoutPassword?: 'true' | undefined
  /** Born on this day or later. */
  readonly bornFrom?: string | undefined
  /** Born before this day. */
  readonly bornTo?: string | undefined
  /** Whose birthday is on this day of the year (MM-dd) or later. */
  readonly birthdayFrom?: string | undefined
  /** Whose birthday is before this day of the year. If it is before `birthdayFrom`, the range goes over New Year. */
  readonly birthdayTo?: string | undefined
}
export interface MemberKind extends Kind {
  readonly id: 'memberId'
  readonly item: SeenMember
  readonly changed: Member
  readonly created: NewMember
  readonly updated: MemberUpdate
  readonly filter: MemberFilter
  readonly sort: MemberSort
}

/** The identity and the rights of the caller. */
export interface Me extends JsonOf<typeof me.Me>, Linked {}
/** A list of the console, saved under a name. */
export interface SavedView extends JsonOf<typeof view.SavedView>, Linked {}
/** A view to save. */
export interface NewSavedView extends RequestJson<typeof view.viewFields>, Linked {}
/** The new content of a saved view. */
export interface SavedViewUpdate extends NewSavedView {}
/** The caller's views, then those that others share. */
export interface SavedViews extends Linked {
  readonly content: readonly SavedView[]
}

/** A key for a machine. */
export interface Key extends ResponseJson<typeof key.keyFields>, Linked {}
/** A key to create. */
export interface NewKey extends RequestJson<typeof key.keyFields>, Linked {}
/** A key as it is shown once, with its secret. */
export interface CreatedKey extends Key {
  readonly secret: JsonOf<typeof key.keySecret>
}
export interface KeyFilter
  extends FilterOf<Omit<(typeof key.keyDeclaration)['fields'], 'scopes'>>,
    CreatedFilter {}
export type KeySort = Exclude<FieldOf<Key>, 'scopes' | 'orphaned'>
/** The new content of a key. */
export interface KeyUpdate extends NewKey {}
/** A change to a key as a merge patch (RFC 7396). An omitted field keeps its value. */
export interface KeyPatch extends Partial<NewKey> {}
export interface KeyKind extends Kind {
  readonly id: 'keyId'
  readonly item: Key
  readonly changed: Key
  readonly updated: KeyUpdate
  readonly filter: KeyFilter
  readonly sort: KeySort
}

/** An address to which changes are sent. */
export interface Webhook extends ResponseJson<typeof webhook.webhookFields>, Linked {}
/** A webhook to create. */
export interface NewWebhook extends RequestJson<typeof webhook.webhookFieldsInRequests>, Linked {}
/** A webhook as it is shown once, with its secret. */
export interface CreatedWebhook extends Webhook {
  readonly secret: JsonOf<typeof webhook.webhookSecret>
}
/** The new content of a webhook. */
export interface WebhookUpdate extends NewWebhook {}
/** A change to a webhook as a merge patch (RFC 7396). An omitted field keeps its value. */
export interface WebhookPatch extends Partial<NewWebhook> {}
/** The position from which delivery continues: a cursor of the log of changes, `latest`, `oldest`, or null for where delivery stopped. */
export interface PositionUpdate extends JsonOf<typeof webhook.PositionUpdate>, Linked {}
/** An attempt to deliver a change. */
export interface Delivery extends JsonOf<typeof webhook.Delivery>, Linked {}
/** An attempt to deliver a change, and what was sent. */
export interface SentDelivery extends JsonOf<typeof webhook.SentDelivery>, Linked {}
/** The last 100 attempts, newest first. */
export interface Deliveries extends Linked {
  readonly content: readonly Delivery[]
}
export type WebhookSort = 'url' | 'createdAt'
export interface WebhookKind extends Kind {
  readonly id: 'webhookId'
  readonly item: Webhook
  readonly changed: Webhook
  readonly updated: WebhookUpdate
  readonly sort: WebhookSort
}

/** An import of a file. Nothing is written until it is applied. */
export interface Import extends JsonOf<typeof imports.Import> {}
/** A row of a file: its record with old and new values, or the reasons why the row is refused. */
export interface ImportRow extends JsonOf<typeof imports.ImportRow> {}
/** A member of an import, with the password that was generated for it. */
export interface ImportPassword extends JsonOf<typeof imports.ImportPassword> {}
/** A change of an import: the fields of all columns, in their order, and options. */
export interface ImportPatch {
  readonly columns?: readonly { readonly field: string | null }[]
  readonly options?: Partial<Import['options']>
}
/** The resource of a file, such as `members`, and how it is read. */
export interface ImportedFile
  extends Partial<Pick<JsonOf<typeof imports.Import>['options'], 'locale' | 'existing'>> {
  readonly into: string
  readonly name?: string
  readonly sheet?: string
  readonly encoding?: string
  /** Applies the import as soon as its rows are checked, if no question is open. */
  readonly apply?: boolean
}
export type { Outcome } from '#resources/import/schema.ts'
