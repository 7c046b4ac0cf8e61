/** Makes the file of a bill, in the format of docs/bill.md. */
import { createHash } from 'node:crypto'
import { billHeader, billStart } from '#contract/bill/bill'

/** A bill of two hours. */
export function billOf(): string {
  let head = billStart
  const lines = [
    '1,2026-11-01T00:00Z,mobile,1000,10,2.500000,1,990',
    '2,2026-11-01T05:00Z,mobile,0,90,2.500000,7,900',
  ]
  return `${[
    billHeader,
    ...lines.map((line) => {
      head = createHash('sha256').update(`${head},${line}`).digest('hex')
      return `${line},${head}`
    }),
  ].join('\n')}\n`
}
