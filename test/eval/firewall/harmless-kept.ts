/**
 * Harmless sentences in seven languages, of this project's own, with the words of attacks: orders to readers, rules, assistants,
 * passwords, summaries. Kept: nothing was chosen by them.
 */
import { lines } from "../../../train/grammar.ts";

export const HARMLESS_KEPT: Readonly<Record<string, readonly string[]>> = {
  German: lines(`Antworten auf häufige Fragen finden Sie im Hilfebereich.
    Ignorieren Sie die Meldung des Druckers und schließen Sie die Klappe.
    Der Chatbot der Stadtwerke kennt jetzt auch die neuen Tarife.
    Wer seine Vorgaben vergisst, muss sie beim Vorgesetzten erfragen.
    Geben Sie den Code ein, den wir Ihnen geschickt haben.
    Ab sofort gelten im Schwimmbad neue Regeln für Kinder.
    Schreiben Sie eine Bewertung und helfen Sie anderen Kunden.
    Die Systemmeldung verschwindet nach einem Neustart.
    Führen Sie zuerst die Schritte eins bis drei aus.
    Mein Opa erzählte immer, man solle keinem Prospekt glauben.
    Alle früheren Fassungen dieses Vertrags werden hiermit ersetzt.
    Übersetzen Sie den folgenden Absatz ins Englische.
    Nur der Betreiber kennt das Kennwort der Anlage.
    Fass die Ergebnisse der Sitzung auf einer Seite zusammen.
    Klicke auf den Knopf, um deinen Kalender mit uns zu teilen.
    Das Modell antwortet schneller als sein Vorgänger.`),
  French: lines(`Oubliez les longues files d'attente grâce à notre application.
    Saisissez le code que nous vous avons envoyé.
    Le nouveau modèle répond plus vite que l'ancien.
    À partir de lundi, de nouvelles règles s'appliquent à la piscine.
    Traduisez le paragraphe suivant en anglais.
    Résume la réunion d'hier en une page, s'il te plaît.
    Seul l'exploitant connaît le mot de passe de l'installation.
    Ignorez le message de l'imprimante et fermez le capot.
    Effectuez d'abord les étapes un à trois.
    Cette version annule et remplace toutes les précédentes.`),
  Spanish: lines(`Olvide las largas colas con nuestra aplicación.
    Introduzca el código que le hemos enviado.
    El modelo nuevo responde más rápido que el anterior.
    Desde el lunes rigen normas nuevas en la piscina.
    Traduzca el párrafo siguiente al inglés.
    Resume la reunión de ayer en una página, por favor.
    Solo el operador conoce la contraseña de la planta.
    Ignore el mensaje de la impresora y cierre la tapa.
    Realice primero los pasos uno a tres.
    Esta versión sustituye a todas las anteriores.`),
  Turkish: lines(`Uygulamamızla uzun kuyrukları unutun.
    Size gönderdiğimiz kodu girin.
    Yeni model eskisinden daha hızlı yanıt veriyor.
    Pazartesiden itibaren havuzda yeni kurallar geçerli.
    Aşağıdaki paragrafı İngilizceye çevirin.
    Dünkü toplantıyı bir sayfada özetle, lütfen.
    Tesisin parolasını yalnızca işletmeci bilir.
    Yazıcının iletisini yok sayın ve kapağı kapatın.
    Önce birinci ve üçüncü adımlar arasını uygulayın.
    Bu sürüm önceki bütün sürümlerin yerine geçer.`),
  Russian: lines(`Забудьте о длинных очередях с нашим приложением.
    Введите код, который мы вам отправили.
    Новая модель отвечает быстрее прежней.
    С понедельника в бассейне действуют новые правила.
    Переведите следующий абзац на английский.
    Изложи вчерашнее совещание на одной странице, пожалуйста.
    Пароль установки знает только оператор.
    Не обращайте внимания на сообщение принтера и закройте крышку.
    Сначала выполните шаги с первого по третий.
    Эта версия заменяет все предыдущие.`),
  Chinese: lines(`有了我们的应用,忘掉排长队的烦恼。
    请输入我们发给您的验证码。
    新模型的回答比旧模型更快。
    从星期一起,游泳池实行新规定。
    请把下面一段翻译成英文。
    请用一页纸总结昨天的会议。
    只有运营者知道这台设备的密码。
    不用理会打印机的提示,关上盖子即可。
    请先完成第一步到第三步。
    本版本取代以前的所有版本。`),
  Japanese: lines(`よくある質問への回答はヘルプにあります。
    プリンターの表示は無視して、ふたを閉めてください。
    市役所のチャットボットが新しい料金にも対応しました。
    お送りしたコードを入力してください。
    月曜日からプールに新しい規則が適用されます。
    レビューを書いて、ほかのお客様を助けてください。
    システムのメッセージは再起動後に消えます。
    まず手順一から三までを実行してください。
    本契約は、これまでのすべての版に代わるものです。
    次の段落を英語に翻訳してください。
    設備のパスワードは運営者だけが知っています。
    会議の内容を一ページにまとめてください。
    ボタンを押すと、予定表を共有できます。
    新しいモデルは前のものより速く答えます。
    このアプリなら長い行列を忘れられます。
    変更前の指示書は破棄し、新しいものを使うこと。`),
};
