import type { CreationJson, ResponseJson } from '#core/json-types.ts'
import type { Fields as DeclaredFields, FilteredBy, JsonOf } from '#core/schema.ts'
import type { Answer } from './answer.ts'
import type { Rollcall, Todos } from './index.ts'
import type { Members } from './members.ts'
import type { CallOptions } from './options.ts'
import type { Kind, KnownOf, Records } from './records.ts'
import type { CreatedFilter, Linked, MemberKind, ModifiedFilter, ReducedMember, TodoKind } from './types.ts'

/** The client of a service with a module: the module's resources, and the fields that it adds to the built-in resources. */
export type ClientOf<Module> = unknown extends Module ? Rollcall : DeclaredClient<Module>

export type DeclaredClient<Module> = Extended<Module> & Declared<Module>

/** The declared resources, by their plural names. */
export type Declared<Module> = {
  readonly [Name in keyof Module as PluralOf<Module[Name]>]: Records<DeclaredKind<Module, Name>> &
    Actions<Module, Name>
}

/** The resources of every service, with the fields that a module adds to them. */
export interface Extended<Module> extends Omit<Rollcall, 'todos' | 'members'> {
  readonly todos: Todos<KindIn<TodoKind, Module, 'todo'>>
  readonly members: Members<KindIn<MemberKind, Module, 'member'>>
}

/** One method for each action of a resource. */
export type Actions<Module, Name extends keyof Module> = {
  readonly [Action in keyof ActionsOf<Module, Name>]: (
    idOrItem: KnownOf<DeclaredKind<Module, Name>>,
    options?: CallOptions,
  ) => Promise<Answer<Item<Module, Name>>>
}

/** The types of a declared resource. */
export interface DeclaredKind<Module, Name extends keyof Module> extends Kind {
  readonly id: IdOf<Module, Name>
  readonly item: Item<Module, Name>
  readonly changed: Item<Module, Name>
  readonly created: NewItem<Module, Name>
  readonly updated: ItemUpdate<Module, Name>
  readonly filter: FilterOf<FieldsOf<Module, Name>> & CreatedFilter & ModifiedFilter
  readonly sort: keyof SystemFields<Module, Name> | (keyof FieldsOf<Module, Name> & string)
}

/** A record of a declared resource: `interface Loan extends Item<typeof import('./loan.ts'), 'loan'> {}`. */
export type Item<Module, Name extends keyof Module> = SystemFields<Module, Name> &
  ResponseJson<FieldsOf<Module, Name>> &
  Linked

/** A record to create. The fields that the service assigns are ignored. */
export type NewItem<Module, Name extends keyof Module> = CreationJson<FieldsOf<Module, Name>> &
  Partial<SystemFields<Module, Name>> &
  Linked

/** The new content of a record. An omitted field that has a starting value keeps its value. */
export type ItemUpdate<Module, Name extends keyof Module> = NewItem<Module, Name>

/** The fields that the service assigns to every record. */
type SystemFields<Module, Name extends keyof Module> = {
  readonly [Field in IdOf<Module, Name> | 'createdAt' | 'lastModifiedAt']: string
}

/** The filter of a list: texts by any part of them, dates and times by a range, other fields by their value, null by `<field>IsNull`. */
export type FilterOf<F extends DeclaredFields> = {
  readonly [Field in keyof F & string as FilteredBy<F[Field]> extends 'range'
    ? `${Field}${'From' | 'To'}`
    : Field]?: Exclude<JsonOf<F[Field]>, null> | undefined
} & {
  readonly [Field in keyof F & string as null extends JsonOf<F[Field]> ? `${Field}IsNull` : never]?:
    | boolean
    | undefined
} & {
  /** Records of which one text contains this text. */
  readonly [Field in keyof F as FilteredBy<F[Field]> extends 'text' ? 'q' : never]?: string | undefined
}

type KindIn<K extends Kind, Module, Name> = [ExtensionOf<Module, Name>] extends [never]
  ? K
  : ExtendedKind<K, Module, Name>

/** A resource of every service, with further fields. */
export interface ExtendedKind<K extends Kind, Module, Name> extends Kind {
  readonly id: K['id']
  readonly item: WithAddedFields<K['item'], Module, Name>
  readonly changed: WithAddedFields<K['changed'], Module, Name>
  readonly created: K['created'] & CreationJson<FieldsFor<Module, Name>>
  readonly updated: K['updated'] & CreationJson<FieldsFor<Module, Name>>
  readonly filter: K['filter'] & FilterOf<FieldsFor<Module, Name>>
  readonly sort: K['sort'] | (keyof FieldsFor<Module, Name> & string)
}

/** The fields that a module adds to the items of a resource. */
export type Further<Module, Name> = ResponseJson<FieldsFor<Module, Name>>

type WithAddedFields<Item, Module, Name> = Item extends ReducedMember
  ? Item & { readonly [Field in keyof Further<Module, Name>]?: never }
  : Item & Further<Module, Name>

/** The properties of the results of `resource()` and `extend()` that the client needs. */
interface Declaration {
  readonly name: string
  readonly fields: DeclaredFields
}

type DeclarationOf<Module, Name extends keyof Module> = Module[Name] extends {
  readonly declaration: infer D extends Declaration
}
  ? D
  : never

type FieldsOf<Module, Name extends keyof Module> = DeclarationOf<Module, Name>['fields']

type IdOf<Module, Name extends keyof Module> = `${DeclarationOf<Module, Name>['name']}Id`

type PluralOf<T> = T extends { readonly declaration: { readonly plural?: infer Plural } }
  ? Plural & string
  : never

type ActionsOf<Module, Name extends keyof Module> =
  DeclarationOf<Module, Name> extends { readonly actions?: infer A } ? NonNullable<A> : never

/** The fields that a module adds to a resource of every service. */
type FieldsFor<Module, Name> = ExtensionOf<Module, Name>['fields']

type ExtensionOf<Module, Name> = Extract<
  Module[keyof Module],
  { readonly extends: Name; readonly fields: DeclaredFields }
>
