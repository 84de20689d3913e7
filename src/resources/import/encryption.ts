import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** Encrypts and decrypts the staged files and rows, because a file may contain passwords. */
export const encryption = (key: Buffer) => {
  const seal = (bytes: Uint8Array): Buffer => {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv(algorithm, key, nonce)
    const sealed = [cipher.update(bytes), cipher.final()]
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed])
  }
  const open = (sealed: Uint8Array): Buffer => {
    const from = nonceBytes + tagBytes
    const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes))
    decipher.setAuthTag(sealed.subarray(nonceBytes, from))
    return Buffer.concat([decipher.update(sealed.subarray(from)), decipher.final()])
  }
  return {
    seal,
    open,
    sealJson: (value: unknown) => seal(Buffer.from(JSON.stringify(value))).toString('base64'),
    openJson: (text: string): unknown => JSON.parse(open(Buffer.from(text, 'base64')).toString()),
  }
}

export type Encryption = ReturnType<typeof encryption>
