import { call, read } from '../call.ts'

/** Public texts, banners and documents. */
export const contentWire = {
  site: read({ path: '/rpc/site', who: 'anyone', token: true, members: 'public', cost: { tokens: 1 } }),
  legal_page: read({
    path: '/rpc/legal_page',
    who: 'anyone',
    token: true,
    members: 'public',
    cost: { tokens: 1 },
  }),
  sign_up_documents: read({
    path: '/rpc/sign_up_documents',
    who: 'anyone',
    token: true,
    members: 'public',
    cost: { tokens: 1 },
  }),
  get_banners: read({
    path: '/rpc/get_banners',
    who: 'anyone',
    token: true,
    members: 'public',
    cost: { tokens: 1 },
  }),
  get_banner_blob: call({
    method: 'GET',
    path: '/rpc/get_banner_blob',
    answer: 'blob',
    who: 'anyone',
    token: true,
    members: 'public',
    effect: 'reads',
    cost: { tokens: 1 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
