// @vitest-environment node
import { expect, it } from 'vitest'
import { EventParser } from './event-stream.ts'

it('EventParser finds events in any division of the stream, and omits comments', () => {
  const text =
    'retry: 2000\n\n:\n\nid: 1_2:3:\nevent: requests\ndata: {"a":"b: c"}\n\nid: 2\ndata: x\n\nid: 3\ndata: half'
  for (let size = 1; size < text.length; size++) {
    const parser = new EventParser()
    const events = []
    for (let at = 0; at < text.length; at += size) events.push(...parser.add(text.slice(at, at + size)))
    expect(events).toEqual([
      { id: '1_2:3:', type: 'requests', data: '{"a":"b: c"}' },
      { id: '2', type: 'message', data: 'x' },
    ])
  }
})
