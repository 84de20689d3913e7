import { textsIn } from '#console/app/words/texts.ts'

export const useInvitationWords = textsIn({
  title: ['Choose a password', 'パスワードを選ぶ'],
  for: (name: string) => [`For ${name}.`, `${name} さん用です。`],
  submit: ['Set the password', 'パスワードを設定'],
  ended: ['This link no longer works', 'このリンクは使えません'],
  endedText: `
    It was used, was replaced by a newer one, or is older than seven days. Ask the sender for a new one.
    すでに使われたか、新しいリンクに置き換えられたか、発行から7日が過ぎています。送った人に新しいリンクを依頼してください。`,
  toSignIn: ['Sign in', 'サインイン'],
  done: ['The password is set', 'パスワードを設定しました'],
  doneText: ['From now on, use it to sign in.', '今後はこのパスワードでサインインしてください。'],
})
