// Texts of the team.
export const en = {
  title: 'Team',
  help: 'The people who use this dashboard for your business.',
  email: 'E-mail address',
  role: 'Role',
  status: 'Status',
  factor: 'Second step',
  factorOn: 'On',
  factorOff: 'Off',
  since: 'Since',
  action: 'Actions',
  you: 'You',
  active: 'Active',
  invited: 'Invited',
  roles: {
    owner: 'Owner',
    developer: 'Developer',
    finance: 'Finance',
    viewer: 'Viewer',
  },
  rights: {
    owner: 'May do everything: money, keys, team, settings and verification.',
    developer: 'Payments and refunds, API keys, webhooks, API logs and payment links. No payouts.',
    finance:
      'Payments and refunds, payouts, invoices, payment links and verification. No API keys.',
    viewer: 'Sees payments, payment links and invoices. Changes nothing, and sees no secret.',
  },
  invite: 'Invite a colleague',
  inviteHelp: 'We mail a link that works for 7 days. With it your colleague chooses a password.',
  sendInvitation: 'Send the invitation',
  inviteSent: (email: string) => `The invitation to ${email} is on its way.`,
  emailInvalid: 'Enter an e-mail address such as siti@toko.example.',
  change: 'Change role',
  changeNamed: (email: string) => `Change role of ${email}`,
  changed: (email: string) =>
    `The role of ${email} is changed. It applies at once. API keys that they made keep working.`,
  remove: 'Remove',
  removeNamed: (email: string) => `Remove ${email}`,
  removeHelp: (email: string) =>
    `${email} is signed out at once and can no longer use this dashboard. Invitations that they sent and nobody has accepted stop working. They may still know secrets of your webhook endpoints: rotate those.`,
  revokeKeys: 'Also revoke the API keys that they made',
  revokeKeysHelp: (names: string) =>
    `They know these keys: ${names}. Once revoked, a server that uses one fails until it has another key. Otherwise they keep working.`,
  noKeys: 'No working key is known to be theirs.',
  removeInvitedHelp: (email: string) =>
    `The invitation to ${email} stops working. You can invite the address again.`,
  removeSelfHelp:
    'You remove yourself: you are signed out, and only another owner can invite you again.',
  removed: (email: string) => `${email} is removed.`,
  lastOwner: 'The only owner: make somebody else an owner first.',
  needsFactor:
    'Only people with a second step may give this role, because it can pay out, or make keys that refund.',
  setUpFactor: 'Set up your second step',
  needsVerified: 'Confirm your e-mail address first: open the link in the confirmation mail.',
} as const;
