/** The hash of `demodemo`. */
const passwordHash =
  '$argon2id$v=19$m=19456,t=2,p=1$P34rLH2NDwXqHTwAGQAj7Q$pEFTWPE0RIQGt2BIJZXf3Luxpz9t6vThNlDJzgfWjkI'

export const person = (number: number) => ({
  firstName: `First ${number}`,
  lastName: number % 3 === 0 ? '佐藤' : `Last, "${number}"`,
  genderCode: String(number % 3),
  dateOfBirth: '1990-02-28',
  emailAddress: `p${number}@example.com`,
  telephoneNumber: number % 2 === 0 ? null : '',
  zipCode: null,
  address: 'Line one\nline two',
  credential: { signId: null, passwordHash },
})
