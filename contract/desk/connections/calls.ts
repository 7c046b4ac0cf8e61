import { deskCall, read } from '../call.ts'

/** Connections, refusals, and the answer to a complaint. */
export const connectionsDeskWire = {
  refusals: read({ needs: 'traffic.read', masked: ['exit_word', 'sentence'], file: false }),
  connections: deskCall({
    method: 'GET',
    answer: 'json',
    needs: 'connections.read',
    stepUp: 'never',
    effect: 'reads',
    audit: 'connections',
    masked: ['ip', 'sentence'],
    file: true,
    body: null,
    queue: null,
  }),
  customer_refusals: read({ needs: 'connections.read', masked: ['exit_word', 'sentence'], file: true }),
  complaint_answer: deskCall({
    method: 'POST',
    answer: 'json',
    needs: 'connections.targets',
    stepUp: 'never',
    effect: 'reads',
    audit: 'connections',
    masked: [],
    file: false,
    body: { type: 'json', mostKib: 64 },
    queue: null,
  }),
  exit_refusals: read({ needs: 'exits.read', masked: ['exit_word', 'sentence'], file: true }),
}
