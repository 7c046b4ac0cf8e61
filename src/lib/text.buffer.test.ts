import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TextBuffer } from './text.buffer.ts'

const ascii = fc.string({ unit: fc.integer({ min: 0, max: 127 }).map((code) => String.fromCharCode(code)) })
const piece = fc.oneof(
  ascii.map((text) => ({ write: (to: TextBuffer) => to.ascii(text), text })),
  ascii.map((text) => ({ write: (to: TextBuffer) => to.bytes(Buffer.from(text)), text })),
  fc
    .string({ unit: 'binary' })
    // A lone surrogate has no UTF-8.
    .map((text) => text.toWellFormed())
    .map((text) => ({ write: (to: TextBuffer) => to.text(text), text })),
  fc.maxSafeInteger().map((value) => ({ write: (to: TextBuffer) => to.number(value), text: String(value) })),
)

describe('text that is put together as bytes', () => {
  it('is that of its pieces, and is removed when it is taken', () => {
    fc.assert(
      fc.property(fc.array(piece), fc.array(piece), (first, second) => {
        const buffer = new TextBuffer(1)
        for (const pieces of [first, second]) {
          for (const { write } of pieces) write(buffer)
          const whole = pieces.map(({ text }) => text).join('')
          expect(buffer.length).toBe(Buffer.byteLength(whole))
          expect(buffer.take()).toBe(whole)
          expect(buffer.length).toBe(0)
        }
      }),
    )
  })

  it.each([
    -(2 ** 53) + 1,
    -1,
    0,
    9,
    10,
    99,
    100,
    999_999_999,
    1e9,
    1e9 + 1,
    12e9,
    2 ** 31,
    2 ** 32,
    2 ** 53 - 1,
  ])('has the digits of %s', (value) => {
    const buffer = new TextBuffer(1)
    buffer.number(value)
    expect(buffer.take()).toBe(String(value))
  })

  it('gives its first bytes, and keeps the others', () => {
    const buffer = new TextBuffer(4)
    buffer.ascii('first')
    const end = buffer.length
    buffer.text('zweité')
    expect(buffer.take(end)).toBe('first')
    buffer.number(3)
    expect(buffer.take()).toBe('zweité3')
  })
})
