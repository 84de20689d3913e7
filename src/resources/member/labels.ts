/** The labels of the fields of a member, in forms, tables and files. This file imports no schemas, so that the console stays small. */
export const memberLabels = {
  en: {
    memberId: 'Member id',
    firstName: 'First name',
    lastName: 'Last name',
    genderCode: 'Gender',
    dateOfBirth: 'Date of birth',
    emailAddress: 'E-mail address',
    telephoneNumber: 'Telephone number',
    zipCode: 'Zip code',
    address: 'Address',
    createdAt: 'On the roll since',
    lastModifiedAt: 'Last changed',
    'credential.signId': 'Sign id',
    'credential.password': 'Password',
    'credential.passwordLastChangedAt': 'Password changed',
  },
  ja: {
    memberId: '会員 ID',
    firstName: '名',
    lastName: '姓',
    genderCode: '性別',
    dateOfBirth: '生年月日',
    emailAddress: 'メールアドレス',
    telephoneNumber: '電話番号',
    zipCode: '郵便番号',
    address: '住所',
    createdAt: '登録日時',
    lastModifiedAt: '最終更新',
    'credential.signId': 'サイン ID',
    'credential.password': 'パスワード',
    'credential.passwordLastChangedAt': 'パスワード変更日時',
  },
}

export const genderLabels = {
  en: { '0': 'Not known', '1': 'Man', '2': 'Woman' },
  ja: { '0': '不明', '1': '男性', '2': '女性' },
}

/** The section and the kind of input for each field of the form, in the order of the form. */
export const memberForm = {
  firstName: { section: 'person', kind: 'text' },
  lastName: { section: 'person', kind: 'text' },
  genderCode: { section: 'person', kind: 'code' },
  dateOfBirth: { section: 'person', kind: 'day' },
  emailAddress: { section: 'contact', kind: 'email' },
  telephoneNumber: { section: 'contact', kind: 'tel', isOptional: true },
  zipCode: { section: 'contact', kind: 'text', isOptional: true },
  address: { section: 'contact', kind: 'text', isOptional: true },
} as const
