/**
 * A passkey in software: ES256, attestation `none`, user verified (WebAuthn level 3, sections 6.1 and 6.5).
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

type Json = Record<string, unknown>

/** CBOR (RFC 8949) of what an attestation needs: small integers, bytes, texts, maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  const entries = [...(value as Map<unknown, unknown>)]
  return Buffer.concat([
    head(5, entries.length),
    ...entries.flatMap(([key, each]) => [cbor(key), cbor(each)]),
  ])
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.of((major << 5) | length)
  if (length < 256) return Buffer.of((major << 5) | 24, length)
  return Buffer.of((major << 5) | 25, length >> 8, length & 0xff)
}

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()

export class Authenticator {
  readonly id = randomBytes(32)
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  #counter = 0
  /** Whether its answers claim that the person was verified (the flag UV). */
  verifies = true

  #authData(rpId: string, attested = Buffer.alloc(0)): Buffer {
    const flags = 0x01 | (this.verifies ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.#counter)
    return Buffer.concat([sha256(rpId), Buffer.of(flags), counter, attested])
  }

  /** The answer to the options of `passkey_begin` and `join_begin`. */
  create(options: Json, origin: string): Json {
    const rpId = (options['rp'] as { id: string }).id
    const { x, y } = (this.#keys.publicKey as KeyObject).export({ format: 'jwk' })
    const coordinate = (text: string | undefined) => Buffer.from(text ?? '', 'base64url')
    const key = cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, coordinate(x)],
        [-3, coordinate(y)],
      ]),
    )
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(0, this.id.length), this.id, key])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', this.#authData(rpId, attested)],
    ])
    return this.#answer({
      clientDataJSON: this.#clientData('webauthn.create', options, origin).toString('base64url'),
      attestationObject: cbor(attestation).toString('base64url'),
      transports: ['internal'],
    })
  }

  /** The answer to the options of `passkey_challenge`. */
  get(options: Json, origin: string): Json {
    this.#counter += 1
    const clientData = this.#clientData('webauthn.get', options, origin)
    const authData = this.#authData(options['rpId'] as string)
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.#keys.privateKey)
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
    })
  }

  #clientData(type: string, { challenge }: Json, origin: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  #answer(response: Json): Json {
    const id = this.id.toString('base64url')
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }
}
