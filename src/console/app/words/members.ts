import { genderLabels, memberLabels } from '#resources/member/labels.ts'
import { count, number, type TextTable } from './texts.ts'

export const members = {
  noun: { one: ['member', '会員'], many: ['members', '会員'], counter: ['', '名'] },
  search: {
    names: ['Search by name', '名前で検索'],
    all: ['Search by name, e-mail, sign id or telephone', '名前・メール・サイン ID・電話番号で検索'],
  },
  columns: {
    name: ['Name', '氏名'],
    emailAddress: ['E-mail', 'メール'],
    dateOfBirth: ['Born', '生年月日'],
    telephoneNumber: ['Telephone', '電話'],
    createdAt: ['Since', '登録日'],
  },
  notFound: ['There is no such member', 'その会員はいません'],
  emptyTitle: ['Nobody is on the roll yet', '名簿にはまだ誰もいません'],
  emptyText: `Add the first member, or drop a file with many.
    最初の会員を登録するか、ファイルからまとめて取り込んでください。`,
  noHitsTitle: (text: string) => [`Nobody found for “${text}”`, `「${text}」に当てはまる会員はいません`],
  noHitsText: {
    names: `Case, width, accents and the order of the names make no difference.
      大文字と小文字、全角と半角、アクセント、姓名の順序は区別しません。`,
    all: `A name is found by any part; an e-mail address, sign id or telephone number by its beginning.
      名前は一部でも、メールアドレス・サイン ID・電話番号は先頭から入力すると見つかります。`,
  },
  access: ['Access', 'サインイン'],
  accessTexts: { true: ['Cannot sign in yet', 'まだサインインできない'] },
  bornFrom: ['Born from', '生年月日（以降）'],
  bornTo: ['Born before', '生年月日（より前）'],
  notRestoredText: `A restored member has no password and no role.
    復元した会員にはパスワードも役割もありません。`,
  noMatches: {
    title: ['Nobody matches the filters', '条件に合う会員はいません'],
    text: ['Change them, or clear them to see all members.', '条件を変えるか、絞り込みを解除してください。'],
  },
  fields: {
    en: { ...memberLabels.en, currentPassword: 'Current password', password: 'New password' },
    ja: { ...memberLabels.ja, currentPassword: '現在のパスワード', password: '新しいパスワード' },
  },
  hints: {
    signId: `If left empty, this becomes the e-mail address in lower case.
      空のままなら、メールアドレスを小文字にしたものになります。`,
    keptSignId: ['If left empty, it stays as it is.', '空のままなら変わりません。'],
    password: ['8 to 128 characters of any kind.', '8 文字から 128 文字。文字の種類は問いません。'],
    currentPassword: `Required to change your own password; an administrator may leave it empty.
      自分のパスワードを変えるときに必要です。管理者は空のままで構いません。`,
  },
  genders: genderLabels,
  sections: {
    person: ['Person', '本人'],
    contact: ['Contact', '連絡先'],
    further: ['Further details', 'その他の項目'],
    access: ['Sign-in', 'サインイン'],
    record: ['Record', '記録'],
  },
  created: (name: string) => [`${name} is on the roll`, `${name} を名簿に登録しました`],
  role: ['Role', '役割'],
  roleChanged: (name: string, from: string, to: string) => `Role of ${name}: ${from} → ${to}
    ${name} の役割: ${from} → ${to}`,
  roles: {
    member: ['Member', '会員'],
    administrator: ['Administrator', '管理者'],
    suspended: ['Suspended', '停止'],
  },
  roleMeanings: {
    member: `Sees and changes its own record, sees the names of others, and shares the todos.
      自分の記録を見て変更でき、ほかの会員は氏名だけ見えます。やることは共有します。`,
    administrator: `May do everything: members, roles, keys, and the history of all.
      会員・役割・キー・すべての履歴を含め、何でもできます。`,
    suspended: `Cannot sign in, and is signed out at once. The record stays.
      サインインできません。サインイン中なら直ちに終了します。記録は残ります。`,
  },
  roleOf: (name: string, role: string) => `Role of ${name}: ${role}?
    ${name} の役割を「${role}」にしますか？`,
  failedRole: (name: string) => `The role of ${name} was not changed.
    ${name} の役割は変わりませんでした。`,
  changePassword: ['Change password', 'パスワードを変更'],
  invite: ['Invite', '招待'],
  inviting: {
    title: (name: string) => [`Invite ${name}`, `${name} を招待`],
    text: `
      This makes a link with which the person can choose a password once, within seven days. An earlier link stops working. Nothing is sent: pass the link on yourself.
      本人がパスワードを選ぶためのリンクを作成します。7日以内に1回だけ使えます。以前のリンクは無効になります。自動では送信されないため、リンクを本人に渡してください。`,
    submit: ['Make a link', 'リンクを作成'],
    made: (until: string) => `Copy it now: it is shown only once. It works once, until ${until}.
      表示されるのは今回だけです。今すぐコピーしてください。${until} まで、または使われるまで有効です。`,
    link: ['Link', 'リンク'],
    failed: (name: string) => [`${name} was not invited.`, `${name} を招待できませんでした。`],
    manyTitle: (n: number) => [`Invite ${count(n, 'member', 'members')}`, `会員 ${number(n)} 人を招待`],
    manyText: `
      This makes a link for each person to choose a password once, within seven days, and saves the links in a file. Earlier links stop working. Nothing is sent: pass the links on yourself.
      本人がパスワードを選ぶためのリンクを1人ずつ作成し、ファイルに保存します。7日以内に1回だけ使えます。以前のリンクは無効になります。自動では送信されないため、リンクを本人に渡してください。`,
    manySubmit: ['Make the links', 'リンクを作成'],
    manyMade: (n: number, others: string) => `
      ${count(n, 'link', 'links')} saved as CSV${others && `. Not invited: ${others}`}
      リンク ${number(n)} 件を CSV に保存しました${others && `。招待できなかった会員: ${others}`}`,
    manyFailed: ['Not all members were invited.', '一部の会員を招待できませんでした。'],
    until: ['Valid until', '有効期限'],
  },
  passwordFor: (name: string) => [`Change the password of ${name}`, `${name} のパスワードを変更`],
  passwordChanged: (name: string) => [`${name} has a new password`, `${name} のパスワードを変更しました`],
  signIdChanged: (name: string, signId: string) => `${name} signs in as ${signId}
    ${name} のサインIDを ${signId} に変更しました`,
  removed: (name: string) => [`${name} is off the roll`, `${name} を名簿から削除しました`],
  restored: (name: string) => [`${name} is on the roll again`, `${name} の削除を取り消しました`],
  addedAgain: (name: string) => `${name} is on the roll again, without a password
    ${name} を登録し直しました。パスワードはありません`,
  addedPerhaps: `The member that you tried to add before may have this sign id already: look in the list first.
    先ほど登録しようとした会員がこのサイン ID を使っている可能性があります。先に一覧で確認してください。`,
} satisfies TextTable
