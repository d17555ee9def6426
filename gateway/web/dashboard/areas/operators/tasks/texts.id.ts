// Texts of operator tasks.
import type { Translation } from '@dashboard/shared/text/language.js';
import type { en } from './texts.en.js';

export const id: Translation<typeof en> = {
  tasks: 'Tugas operator',
  task: 'Tugas operator',
  what: 'Apa yang terjadi',
  opened: 'Dibuka',
  resolved: 'Diselesaikan',
  open: 'Terbuka',
  done: 'Selesai',
  liveOnly: 'LIVE',
  noTasks: 'Tidak ada tugas',
  noTasksHelp:
    'Tugas muncul jika hanya orang yang dapat memutuskan soal uang. Tidak ada yang perlu dilakukan.',
  facts: 'Fakta',
  resolution: 'Penyelesaian',
  resolve: 'Selesaikan',
  resolveTitle: 'Selesaikan tugas',
  choose: 'Apa yang harus dilakukan?',
  note: 'Catatan',
  noteHelp: 'Alasannya. Disimpan bersama tugas dan di log audit.',
  reference: 'Referensi transfer',
  referenceHelp: 'Seperti yang tertulis di bank atau di rail.',
  receiver: 'Merchant yang menerima uang',
  receiverHelp: 'Cari dengan nama, atau isi di bawah ID salah satu pembayarannya. Isi salah satu.',
  receiverPayment: 'Pembayaran merchant itu',
  waits: 'Belum ada tindakan yang dapat dilakukan',
  waitsHelp:
    'Pengembalian dana atau pencairannya masih terbuka: selesaikan atau gagalkan. Jika sudah diputuskan, ulangi keputusan atau persetujuannya. Tugas ini ikut tertutup.',
  byItself: 'Tertutup sendiri: yang ditunggu sudah terjadi.',
  action: 'Tindakan',
  by: 'Oleh',
  twoPersons: 'Ini selalu memerlukan administrator kedua.',
  limitHelp:
    'Uang LIVE di atas batas memerlukan administrator kedua: tugas tetap terbuka sampai saat itu.',
  proposed: 'Diusulkan: administrator lain harus menyetujuinya',
  kinds: {
    settlement_suspended: 'Uang yang tidak dapat dibukukan',
    suspense_reversed: 'Dana tertahan ditarik kembali',
    unknown_order: 'Uang untuk pesanan tak dikenal',
    unknown_order_unresolved: 'Callback untuk pesanan tak dikenal',
    rail_difference: 'Selisih dengan rail',
    callback_contradicted: 'Callback bertentangan dengan rail',
    callback_unconfirmed: 'Callback belum terkonfirmasi',
    instructions_unusable: 'Pesanan tanpa cara bayar yang sah',
    settlement_unapplied: 'Transaksi sudah dibukukan di pembayaran lain',
    reversal_unapplied: 'Pembatalan atas yang tidak dibukukan',
    refund_manual_required: 'Pengembalian dana yang dibayar manual',
    refund_unresolved: 'Pengembalian dana tanpa hasil',
    refund_on_reversed_payment: 'Pengembalian dana atas pembayaran yang ditarik kembali',
    refund_contradicted: 'Pengembalian dana ternyata dibayarkan',
    attempt_unresolved: 'Percobaan tanpa hasil',
    invoice_paid_twice: 'Tagihan dibayar dua kali',
    invoice_paid_void: 'Tagihan yang dibatalkan dibayar',
    balance_negative: 'Saldo negatif',
    payout_manual_required: 'Pencairan yang dibayar manual',
    payout_unresolved: 'Pencairan tanpa hasil',
    payout_not_sent: 'Pencairan belum dikirim',
    payout_contradicted: 'Pencairan berakhir lain',
  },
  causes: {
    settlement_suspended:
      'Sebuah pembayaran menerima uang yang tidak dapat dibukukan: jumlah atau mata uang lain, pembayaran sudah lunas, atau pesanan tak dikenal. Uangnya ada di akun dana tertahan.',
    suspense_reversed:
      'Rail menarik kembali dana tertahan. Jika uangnya sudah keluar, akun dana tertahan kurang sebesar itu.',
    unknown_order:
      'Rail memegang uang untuk pesanan yang tidak dikenal layanan ini. Uangnya ada di akun dana tertahan platform.',
    unknown_order_unresolved:
      'Callback bertanda tangan menyebut pesanan yang tidak dikenal, dan rail tidak menjawab selama lima hari. Tidak ada uang yang berpindah. Tanyakan ke rail.',
    rail_difference:
      'Layanan ini dan rail berbeda soal pesanan, pengembalian dana, atau pencairan. Tidak ada uang yang berpindah. Periksa dahulu pembayarannya dan rail.',
    callback_contradicted:
      'Callback menyebut jumlah atau mata uang lain dari status rail, yang sudah dibukukan. Tanyakan ke rail. Jika bukan rail yang mengirim, kunci atau tokennya bocor.',
    callback_unconfirmed:
      'Callback bertanda tangan melaporkan uang masuk atau hilang, dan dua jam pengecekan status tidak menemukannya. Tidak ada uang yang berpindah. Tanyakan ke rail soal pesanan ini. Jika bukan rail yang mengirim, kunci atau tokennya bocor.',
    instructions_unusable:
      'Rail membuka pesanan dengan kode QR yang checksum-nya salah, atau nomor rekening yang tidak sah. Layanan ini menutup pesanan itu di rail, lalu percobaannya gagal. Sampaikan pesanannya ke rail: kodenya tidak dapat dibayar.',
    settlement_unapplied:
      'Rail menyebut transaksi untuk pembayaran ini yang sudah dibukukan di pembayaran lain. Tidak ada uang yang berpindah.',
    reversal_unapplied:
      'Rail menarik kembali transaksi yang tidak dibukukan di sini, atau yang sudah dikembalikan penuh. Tidak ada uang yang berpindah.',
    refund_manual_required:
      'Tidak ada rail yang dapat membayar pengembalian dana ini. Transfer ke pelanggan dari rekening Anda, lalu selesaikan pengembalian dana dengan referensi transfernya. Tugas ini ikut tertutup.',
    refund_unresolved:
      'Rail belum melaporkan hasil pengembalian dana selama enam jam. Tanyakan ke rail, lalu selesaikan atau gagalkan pengembalian dana. Selesaikan hanya jika rail membayarnya.',
    refund_on_reversed_payment:
      'Rail menarik kembali pembayaran yang sudah atau sedang dikembalikan. Akun dana tertahan kurang.',
    refund_contradicted:
      'Rail melaporkan pengembalian dana terbayar padahal dibukukan gagal. Jumlahnya tidak dapat dikembalikan lagi. Tidak ada uang yang berpindah. Selesaikan atau gagalkan pengembalian dana, atau bebankan ke platform atau merchant.',
    attempt_unresolved:
      'Pembayaran gagal, dan rail tidak pernah mengatakan apakah pesanan diterima. Uang masih dapat masuk. Tugas tertutup sendiri setelah pengecekan menemukannya.',
    invoice_paid_twice:
      'Tagihan yang sudah lunas dibayar lagi. Kembalikan salah satu pembayaran, atau simpan.',
    invoice_paid_void:
      'Tagihan yang sudah dibatalkan dibayar. Kembalikan pembayarannya, atau simpan.',
    balance_negative:
      'Pengembalian dana, pembatalan, atau pendebitan membuat saldo LIVE merchant di bawah nol sehingga pencairannya ditahan. Pembayaran baru mengisinya, atau merchant membayar selisihnya. Tugas selesai sendiri pada nol.',
    payout_manual_required:
      'Tidak ada rail yang dapat membayar pencairan ini. Transfer uangnya, lalu selesaikan pencairan. Tugas selesai bersama pencairan.',
    payout_unresolved:
      'Rail belum melaporkan hasil pencairan selama sehari. Tanyakan ke rail, lalu selesaikan atau gagalkan pencairan. Tugas selesai bersama pencairan.',
    payout_not_sent:
      'Pencairan LIVE sudah sehari menunggu dikirim: pencairan atau semua rail pembayarnya dinonaktifkan, atau merchant ditangguhkan. Tugas selesai saat dikirim atau dibatalkan.',
    payout_contradicted:
      'Rail melaporkan keadaan pencairan yang tidak mungkin mengikuti catatan kita. Tidak ada uang yang berpindah. Tanyakan ke rail dan bank apakah sudah dibayar.',
  },
  actions: {
    acknowledge: 'Catat dan tutup',
    credit: 'Kreditkan ke merchant',
    return: 'Catat pengembalian ke pembayar',
    assign: 'Berikan ke merchant lain',
    debit: 'Debit merchant',
    write_off: 'Tanggung oleh platform',
    match: 'Cocokkan dengan pengembalian',
    book: 'Bukukan yang ada di rail',
  },
  effects: {
    acknowledge: 'Menutup tugas. Tidak ada uang yang berpindah.',
    credit: 'Dana tertahan menjadi milik merchant.',
    return:
      'Mencatat bahwa Anda mengembalikan uang ke pembayar dari rekening Anda. Lakukan transfernya dahulu.',
    assign: 'Uang menjadi milik merchant lain. Status pembayaran yang Anda sebut tidak berubah.',
    debit:
      'Merchant yang memegang uang menanggung yang ditarik rail. Saldo dapat turun di bawah nol sehingga pencairan ditahan.',
    write_off: 'Platform menanggungnya: jumlah masuk ke akun biaya.',
    match:
      'Rail menarik uang yang sudah dikembalikan: itu satu pembayaran. Rekening Anda mendapat pembukuannya kembali.',
    book: 'Mengusulkan membukukan yang ada di rail pada pembayaran ini.',
  },
  values: {
    missing: 'Hanya di sini',
    orphan: 'Hanya di rail',
    differing: 'Berbeda',
    status: 'Status',
    amount: 'Jumlah',
    currency: 'Mata uang',
    refund: 'Pengembalian dana',
    payout: 'Pencairan',
    chargeback: 'Chargeback',
    settled: 'Uang diterima',
    ended: 'Berakhir',
    reversed: 'Ditarik kembali',
    given_back: 'Dikembalikan',
  },
  details: {
    rail: 'Rail',
    amount: 'Jumlah',
    currency: 'Mata uang',
    orderId: 'Pesanan di rail',
    railTransactionId: 'Transaksi rail',
    refundId: 'Pengembalian dana',
    payoutId: 'Pencairan',
    paymentId: 'Pembayaran',
    day: 'Hari',
    difference: 'Selisih',
    field: 'Yang berbeda',
    ours: 'Di sini',
    theirs: 'Di rail',
    booking: 'Dibukukan sebagai',
    said: 'Kata rail',
    cause: 'Sebab',
    reason: 'Alasan',
    balance: 'Saldo',
    invoiceId: 'Tagihan',
    status: 'Status',
    subject: 'Tentang',
  },
};
