import { errorTable } from '#core/error-table.ts'
import { decodeSegment } from '#core/formats.ts'
import { bodyInvalid, type CodedMessage, notFound, refused } from '#core/problem.ts'

export const memberCodes = {
  memberNotFound: 'e.xx.yy.5001',
  signIdInUse: 'e.xx.yy.8001',
  memberSuspended: 'e.xx.yy.8002',
} as const

export const memberErrors = errorTable({
  [memberCodes.memberNotFound]: {
    en: `Specified member not found. member id : {memberId}
      There is no member with this id.
      The id is unknown or malformed, or the member has been deleted.
      Find the member in the list and use the id given there.`,
    ja: `指定された会員が見つかりません。会員ID : {memberId}
      このIDの会員は存在しません。
      IDが存在しないか形式が誤っている、または会員が削除されています。
      一覧で会員を探し、そこに示されたIDを使用してください。`,
  },
  [memberCodes.signIdInUse]: {
    en: `Cannot use specified sign id. sign id : {signId}
      Another member, or the administrator, signs in with this sign id.
      Sign ids are unique, ignoring case and character width. If none is sent, the e-mail address in lower case is used.
      Choose another sign id.`,
    ja: `指定されたサインIDは使用できません。サインID : {signId}
      このサインIDは別の会員または管理者が使用しています。
      サインIDは大文字小文字や全角半角を区別せずに一意です。省略した場合は、小文字にしたメールアドレスになります。
      別のサインIDを選んでください。`,
  },
  [memberCodes.memberSuspended]: {
    en: `The member is suspended. member id : {memberId}
      A suspended member cannot be invited.
      An invitation would have no effect, because a suspended member cannot sign in.
      Give the member another role first.`,
    ja: `会員は停止されています。会員ID : {memberId}
      停止中の会員は招待できません。
      停止中の会員はサインインできないため、招待しても利用できません。
      先に会員のロールを変更してください。`,
  },
  CurrentPassword: {
    en: `"{target}" must be the current password.
      The current password is wrong.
      Members who change their own credential must prove that they know the current password.
      Send the current password. If you have forgotten it, ask an administrator.`,
    ja: `"{target}" は現在のパスワードでなければなりません。
      現在のパスワードが誤っています。
      自分の資格情報を変更する会員は、現在のパスワードを示す必要があります。
      現在のパスワードを送信してください。忘れた場合は管理者に依頼してください。`,
  },
  CommonPassword: {
    en: `"{target}" must not be a commonly used password.
      The password is commonly used.
      The operators of the service forbid the passwords that attackers try first. Case and character width are ignored.
      Choose another password, such as a few unrelated words.`,
    ja: `"{target}" によく使われるパスワードは指定できません。
      多くの人が使っているパスワードです。
      サービスの運用者は、最初に推測されるパスワードを、大文字小文字や全角半角を区別せずに禁止しています。
      関連のない単語を組み合わせるなど、別のパスワードを選んでください。`,
  },
})

export const memberNotFound = (memberId: string) =>
  notFound({ code: memberCodes.memberNotFound, args: { memberId: decodeSegment(memberId) } })

export const signIdInUseDetail = (signId: string): CodedMessage => ({
  code: memberCodes.signIdInUse,
  args: { signId },
})

export const signIdInUse = (signId: string) => refused(memberCodes.signIdInUse, { signId })

export const memberSuspended = (memberId: string) => refused(memberCodes.memberSuspended, { memberId })

export const currentPasswordWrong = () =>
  bodyInvalid([{ code: 'CurrentPassword', target: 'currentPassword' }])

export const commonPassword = (target: string) => bodyInvalid([{ code: 'CommonPassword', target }])
