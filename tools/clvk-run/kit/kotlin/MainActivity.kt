package org.example.@PACKAGE@

import android.app.Activity
import android.os.Bundle
import android.widget.TextView
import kotlin.concurrent.thread
import org.clvk.launch.ClvkException

/** Shows what the sample prints. */
class MainActivity : Activity() {
    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        val view = TextView(this)
        view.setPadding(32, 96, 32, 32)
        setContentView(view)
        thread {
            val text = try {
                sample()
            } catch (error: ClvkException) {
                "error ${error.status}: ${error.message}"
            }
            runOnUiThread { view.text = text }
        }
    }
}
