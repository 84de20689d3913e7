import { textsIn } from '#console/app/words/index.ts'

const en = {
  title: 'Choose a password',
  for: (name: string) => `For ${name}.`,
  submit: 'Set the password',
  ended: 'This link no longer works',
  endedText:
    'It was used, was replaced by a newer one, or is older than seven days. Ask the sender for a new one.',
  toSignIn: 'Sign in',
  done: 'The password is set',
  doneText: 'From now on, use it to sign in.',
}

const ja: typeof en = {
  title: 'パスワードを選ぶ',
  for: (name) => `${name} さん用です。`,
  submit: 'パスワードを設定',
  ended: 'このリンクは使えません',
  endedText:
    'すでに使われたか、新しいリンクに置き換えられたか、発行から7日が過ぎています。送った人に新しいリンクを依頼してください。',
  toSignIn: 'サインイン',
  done: 'パスワードを設定しました',
  doneText: '今後はこのパスワードでサインインしてください。',
}

export const useInvitationWords = textsIn({ en, ja })
