import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { parseSettingsFile, readSettingsFile } from './settings.file.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-settings-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const parse = (text: string) => parseSettingsFile(text, 'turnpike.env')

describe('a file of settings', () => {
  it('is read as systemd reads it, expanding nothing', () => {
    expect(
      parse(
        [
          '# a remark = none',
          '  ; another',
          '',
          'PORT=3000',
          '  HOST = 127.0.0.1  ',
          'MAIL_FROM=Turnpike <shop@example.net>',
          'SMTP_URL=smtps://shop:pa$HOME`id`#1@mail.example.net',
          `A='$x "y" \\n' `,
          String.raw`B="say \"no\" to \$x, \d"`,
          String.raw`C=one\ two\\three`,
          'D="two',
          'lines"',
          'E=conti\\',
          'nued',
          `F="a"'b'c`,
          'EMPTY=',
          'PORT=3001',
        ].join('\n'),
      ),
    ).toEqual({
      PORT: '3001',
      HOST: '127.0.0.1',
      MAIL_FROM: 'Turnpike <shop@example.net>',
      SMTP_URL: 'smtps://shop:pa$HOME`id`#1@mail.example.net',
      A: '$x "y" \\n',
      B: String.raw`say "no" to $x, \d`,
      C: String.raw`one two\three`,
      D: 'two\nlines',
      E: 'continued',
      F: 'abc',
      EMPTY: '',
    })
  })

  it('returns every quoted value unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (one, other) => {
        const values = [one, other].map((text) => text.replaceAll('\r', ''))
        const quoted = values.map((text) => `"${text.replaceAll(/["\\`$]/g, String.raw`\$&`)}"`)
        expect(parse(`A=${quoted[0]}\nB=${quoted[1]}\n`)).toEqual({ A: values[0], B: values[1] })
      }),
    )
  })

  it('names a line that is not a setting', () => {
    expect(() => parse('PORT=1\n\nexport HOST=x\n')).toThrow('Line 3 of turnpike.env is no setting')
    expect(() => parse('just words')).toThrow('Line 1 of turnpike.env')
  })

  it('must contain an absolute DATA_DIR', () => {
    const file = path.join(folder, 'relative.env')
    writeFileSync(file, 'DATA_DIR=data\n')
    expect(() => readSettingsFile(file)).toThrow(`DATA_DIR in ${file} must be a whole path, not “data”.`)
    expect(() => readSettingsFile(path.join(folder, 'none.env'))).toThrow('cannot be read (ENOENT).')
  })
})
