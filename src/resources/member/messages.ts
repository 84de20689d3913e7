import { decoded } from '#core/formats.ts'
import { bodyInvalid, type Message, notFound, Problem } from '#core/problem.ts'
import { words } from '#core/words.ts'

export const memberWords = words({
  en: {
    'e.xx.yy.5001': 'Specified member not found. member id : {memberId}',
    'e.xx.yy.8001': 'Cannot use specified sign id. sign id : {signId}',
    CurrentPassword: '"{target}" must be the current password.',
    CommonPassword: '"{target}" must not be a commonly used password.',
  },
  ja: {
    'e.xx.yy.5001': '指定された会員が見つかりません。会員ID : {memberId}',
    'e.xx.yy.8001': '指定されたサインIDは使用できません。サインID : {signId}',
    CurrentPassword: '"{target}" は現在のパスワードでなければなりません。',
    CommonPassword: '"{target}" によく使われるパスワードは指定できません。',
  },
})

export const memberNotFound = (memberId: string) =>
  notFound({ code: 'e.xx.yy.5001', args: { memberId: decoded(memberId) } })

export const signIdTaken = (signId: string): Message => ({ code: 'e.xx.yy.8001', args: { signId } })

export const signIdInUse = (signId: string) => new Problem('business', { messages: [signIdTaken(signId)] })

export const currentPasswordWrong = () =>
  bodyInvalid([{ code: 'CurrentPassword', target: 'currentPassword' }])

export const commonPassword = (target: string) => bodyInvalid([{ code: 'CommonPassword', target }])
